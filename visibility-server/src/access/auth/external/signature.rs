//! Verifies signatures of tokens with the library that verifies certificates.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result, new_error};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use signature::{Error, Verifier};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: refuse_to_sign,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Says who checks signatures in this process, unless the application around us has said so before.
pub(super) fn install() {
    if PROVIDER.install_default().is_err() {
        tracing::debug!("signatures of tokens are checked as the application wants it");
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the library calls it so")]
fn refuse_to_sign(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(new_error(ErrorKind::UnsupportedAlgorithm))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the library calls it so")]
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    if algorithm.family() != key.family() {
        return Err(new_error(ErrorKind::InvalidAlgorithm));
    }
    Ok(Box::new(Checker { algorithm: *algorithm, key: key.clone() }))
}

#[derive(Debug)]
struct Checker {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl JwtVerifier for Checker {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for Checker {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let checked = match (self.algorithm, self.key.kind()) {
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let key = RsaPublicKeyComponents { n, e };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(point)) => {
                check(&ECDSA_P256_SHA256_FIXED, point, message, signature)
            }
            (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(point)) => {
                check(&ED25519, point, message, signature)
            }
            _ => return Err(Error::new()),
        };
        checked.map_err(|_unspecified| Error::new())
    }
}

fn check(
    algorithm: &'static dyn VerificationAlgorithm,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> std::result::Result<(), ring::error::Unspecified> {
    UnparsedPublicKey::new(algorithm, key).verify(message, signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7515 appendix A.2.
    const MODULUS: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    const MESSAGE: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const SIGNATURE: &str = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";

    #[test]
    fn the_example_of_the_standard_is_signed_and_no_other_message() {
        install();
        let key = DecodingKey::from_rsa_components(MODULUS, "AQAB").unwrap();
        let verify = |signature: &str, message: &str, algorithm| {
            jsonwebtoken::crypto::verify(signature, message.as_bytes(), &key, algorithm)
        };
        assert!(verify(SIGNATURE, MESSAGE, Algorithm::RS256).unwrap());
        assert!(!verify(SIGNATURE, MESSAGE.get(1..).unwrap(), Algorithm::RS256).unwrap());
        assert!(!verify("", MESSAGE, Algorithm::RS256).unwrap());
        assert!(verify(SIGNATURE, MESSAGE, Algorithm::ES256).is_err());
        assert!(!verify(SIGNATURE, MESSAGE, Algorithm::RS512).unwrap());
    }
}
