use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

fn data() -> Value {
    serde_json::from_str(include_str!("../../../data/query_denylist.json")).unwrap()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn check(target: &str) -> Parameters {
    Denylist::new(false).check(target)
}

#[track_caller]
fn denied(targets: &[&str]) {
    for target in targets {
        assert_eq!(check(target), Parameters::Denied, "{target}");
    }
}

#[track_caller]
fn fine(targets: &[&str]) {
    for target in targets {
        assert_eq!(check(target), Parameters::Fine, "{target}");
    }
}

#[test]
fn every_example_holds() {
    let examples: Value =
        serde_json::from_str(include_str!("../../../testdata/query_denylist.json")).unwrap();
    let mut denylist = Denylist::new(false);
    for target in texts(&examples["deny"]) {
        assert_eq!(denylist.check(&target), Parameters::Denied, "{target}");
    }
    for target in texts(&examples["allow"]) {
        assert_eq!(denylist.check(&target), Parameters::Fine, "{target}");
    }
}

#[test]
fn every_name_of_the_data_is_denied_as_it_is_spelled() {
    let data = data();
    let profile = &data["default_profile"];
    for exact in profile["exact"].as_array().unwrap() {
        for spelling in texts(&exact["spellings"]) {
            denied(&[&format!("/a?x=1&{spelling}=1"), &format!("/a?{}", spelling.to_uppercase())]);
        }
    }
    for name in texts(&profile["segment_names"]) {
        denied(&[&format!("/a?x[{name}][0]=1"), &format!("/a?x.{name}.y=1")]);
    }
    for name in texts(&profile["suffix_names"]) {
        denied(&[&format!("/a?my_{name}=1"), &format!("/a?my{name}=1")]);
    }
    for name in texts(&profile["prefix_names"]) {
        denied(&[&format!("/a?{name}Zz9=1")]);
    }
}

#[test]
fn what_the_data_never_denies_is_fine_in_both_profiles() {
    let data = data();
    for name in texts(&data["never_denied"]).iter().chain(&texts(&data["explicit_allow"])) {
        fine(&[&format!("/a?{name}=1")]);
        let target = format!("/a?{name}=1");
        assert_eq!(Denylist::new(true).check(&target), Parameters::Fine, "{name}");
    }
    fine(&["/a?token_type=bearer&max_tokens=5&emailTemplateId=7&utm_email=spring&signinMethod=x"]);
}

#[test]
fn every_condition_of_the_data_is_implemented_and_no_other() {
    let data = data();
    let conditional = data["default_profile"]["conditional"].as_array().unwrap();
    let listed: BTreeSet<&str> =
        conditional.iter().map(|rule| rule["name"].as_str().unwrap()).collect();
    let implemented: BTreeSet<&str> = Condition::ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed, implemented);
    let rounds = &data["matching"]["limits"]["max_decode_rounds"];
    assert_eq!(rounds.as_u64(), Some(NAME_ROUNDS as u64));
    let most = &data["matching"]["limits"]["max_params"];
    assert_eq!(most.as_u64(), Some(MAX_QUERY_PARAMETERS as u64));
}

#[test]
fn the_extended_profile_adds_names() {
    let data = data();
    let names = texts(&data["extended_profile_additional_names"]["names"]);
    assert_eq!(names.len(), 75);
    for name in names {
        let target = format!("/a?{name}=1");
        assert_eq!(Denylist::new(true).check(&target), Parameters::Denied, "{name}");
        fine(&[&target]);
    }
}

#[test]
fn separators_are_found_wherever_they_are_hidden() {
    denied(&[
        "/a?token",
        "/a??token=y",
        "/a?x=1?token=y",
        "/a?a=1;token=2",
        "/a?a=1&amp;token=2",
        "/a#access_token=x",
        "/a?x=1#token=x",
        "/a;jsessionid=1",
        "/a;jsessionid=1/b?x=1",
        "/a;v=1;sid=2/b",
        "/a%3Bjsessionid=1/b",
        "/a%3ftoken=1",
        "/a%253Ftoken%3D1",
        "/a%23token=1",
        "/a?x%26token=1",
        "/a?%26token",
        "/a?x%2526token%253D1",
        "/a?x%3Ftoken=1",
        "/a?token%3D1",
    ]);
    fine(&[
        "/blog/token=guide",
        "/a;token/b",
        "/token;v=1",
        "/a%3Fpage=1",
        "/100%25?page=1",
        "/a%",
    ]);
}

#[test]
fn names_are_compared_in_one_form() {
    denied(&[
        "/a?ToKeN=",
        "/a?%74oken=1",
        "/a?%2574oken=1",
        "/a?%252574oken=1",
        "/a?tok%00en=1",
        "/a?tok\u{200b}en=1",
        "/a?tok%C2%ADen=1",
        "/a?%EF%BD%94oken=1",
        "/a?ｔｏｋｅｎ=1",
        "/a?%20token=1",
        "/a?access+token=1",
        "/a?access-token=1",
        "/a?access:token=1",
        "/a?$token=1",
        "/a?user%5Bemail%5D=x",
        "/a?user%255Bemail%255D=x",
        "/a?data[0][token]=x",
        "/a?user.email=x",
        "/a?userEmailValue=x",
        "/a?myJWTTokenValue=1",
        "/a?ŞİFRE=1",
        "/a?%C5%9Fifre=1",
        "/a?doğum_tarihi=1",
        "/a?kullanıcı_adı=1",
        "/a?KREDİ_KARTI=1",
        "/a?CONTRASEÑA=1",
        "/a?télephone=1",
    ]);
    fine(&[
        "/a?tokens=1",
        "/a?tokens_per_page=9",
        "/a?bypass=1",
        "/a?compass=1&passenger=2",
        "/a?%252525252574oken=1",
        "/a?email_campaign=1",
        "/a?=token",
        "/a?q=token",
        "/a?token\u{301}s=1",
        "/a?%zztoken%=1&x=%",
        "/a?&&&=&;;",
    ]);
}

#[test]
fn a_value_may_be_a_query_itself() {
    denied(&[
        "/a?redirect=https%3A%2F%2Fx.example%2Fcb%3Ftoken%3Dabc",
        "/a?redirect=https%253A%252F%252Fx.example%252Fcb%253Ftoken%253Dabc",
        "/a?next=%2Fa%3Fx%3D1%26user%5Bemail%5D%3Dy",
        "/a?next=a%3D1%26token%3D2",
        "/a?next=https%3A%2F%2Fx%2F%23access_token%3Dabc",
        "/a?next=%2Fa%3Bjsessionid%3D1%3Fx%3D1",
        "/a?next=https%3A%2F%2Fx%2F%3Fnext%3Dhttps%253A%252F%252Fy%252F%253Ftoken%253Dz",
        "/a?next=%2Foauth%2Fcallback%3Fcode%3Dx",
    ]);
    fine(&[
        "/a?q=what+is+a+token%3F",
        "/a?q=what+is+token%3Dx",
        "/a?q=email%26phone",
        "/a?next=https%3A%2F%2Fx.token%2F%3Fpage%3D2",
        "/a?next=https%3A%2F%2Fmy.email%3Fpage%3D2",
    ]);
}

#[test]
fn conditions_see_values_names_and_the_path() {
    denied(&[
        "/oauth/callback?code=abc",
        "/OAuth2/v2?code=abc",
        "/auth/google?code=abc",
        "/%61uth/google?code=abc",
        "/authorize?state=abc",
        "/sign-in?state=abc",
        "/a?code=1&state=2",
        "/a?session_state=1",
        "/a?code=1&iss=x",
        "/a?error=x&state=y",
        "/a?nonce=1&client_id=2",
        "/a?nonce=1&response_type=code",
        "/login?ticket=5",
        "/cas/x?ticket=5",
        "/a?ticket=PT-5",
        "/a?request=eyJhbGciOiJub25lIn0",
        "/a?key=AIzaSyA1234567890abcdefghij",
        "/a?hash=D41D8CD98F00B204E9800998ECF8427E",
        "/a?Policy=1&Key-Pair-Id=2",
        "/a?user=bob%40example.com",
        "/a?user=bob@example.com",
        "/a?%6Bey=AIzaSyA1234567890abcdefghij",
    ]);
    fine(&[
        "/cart?code=SAVE10",
        "/author/jane?code=SAVE10",
        "/connected-home?code=SAVE10",
        "/cases/5?ticket=12345",
        "/a?state=CA",
        "/a?nonce=1",
        "/a?ticket=12345",
        "/a?request=5",
        "/a?key=color",
        "/a?key=summer-collection-of-shoes",
        "/a?key=12345678901234567890",
        "/a?hash=top",
        "/a?hash=d41d8cd98f00b204e9800998ecf8427",
        "/a?policy=returns",
        "/a?user=bob",
    ]);
}

#[test]
fn there_are_512_parameters_at_most() {
    let many = |count: usize| format!("/a?{}", "a=1&".repeat(count));
    assert_eq!(check(&many(512)), Parameters::Fine);
    assert_eq!(check(&many(513)), Parameters::TooMany);
    assert_eq!(check(&(many(513) + "token=1")), Parameters::TooMany);
    assert_eq!(check(&format!("/a?{}", "&".repeat(8_000))), Parameters::Fine);
    assert_eq!(check(&format!("/a?{}=1", "a%26".repeat(1_500))), Parameters::TooMany);
    assert_eq!(check(&format!("/a?x={}", "a%3D1%26".repeat(800))), Parameters::TooMany);
}

#[test]
fn the_longest_paths_are_read_in_linear_time() {
    for piece in ["%25", "&", "%2526", "a=%26b%3D&", ";", "[", "aB", "+", "%", "/cas", "?a", "ı"] {
        let target = format!("/a?{}", piece.repeat(8_190 / piece.len()));
        let mut denylist = Denylist::new(true);
        for _ in 0..20 {
            assert_ne!(denylist.check(&target), Parameters::Denied, "{piece}");
        }
        assert!(denylist.spare.iter().map(String::capacity).sum::<usize>() < 200_000);
    }
}
