//! `visibility-server users`.

mod password;
mod view;

use std::collections::BTreeSet;

use chrono::Utc;
use uuid::Uuid;
use visibility_core::accounts::scope::Scope;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::accounts::user::{User, UserId, UserName};

use self::password::ChosenPassword;
use self::view::{NewUserView, UserView};
use super::{expect_tenant, stores};
use crate::cli::args::users::{ChangeScopesArgs, CreateUserArgs, PasswordArgs, UsersCommand};
use crate::cli::args::{FormatArgs, GlobalArgs};
use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::exit_code::Exit;
use crate::stores::Stores;
use crate::stores::password_hash::PasswordHash;
use crate::stores::state::users::{StoredUser, UserError};

/// Runs a command about users.
pub(super) fn run(
    command: &UsersCommand,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    match command {
        UsersCommand::Create(arguments) => create(arguments, global, console),
        UsersCommand::List { tenant, format } => list(tenant.as_ref(), global, *format, console),
        UsersCommand::Disable { name, format } => {
            let changed = stores(global)?.state_store().disable_user(name, Utc::now())?;
            let done = format!(
                "Disabled user {name}. Its sessions and the access of its programs have ended."
            );
            show_changed(&changed, &done, *format, console)
        }
        UsersCommand::Enable { name, format } => {
            let changed = stores(global)?.state_store().enable_user(name)?;
            show_changed(&changed, &format!("Enabled user {name}."), *format, console)
        }
        UsersCommand::Scopes(arguments) => change_scopes(arguments, global, console),
        UsersCommand::Passwd { name, password, format } => {
            set_password(name, *password, global, *format, console)
        }
    }
}

fn create(
    arguments: &CreateUserArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let CreateUserArgs { tenant, name, scope, format, .. } = arguments;
    let stores = stores(global)?;
    expect_tenant(&stores, tenant, Utc::now())?;
    // Before anybody thinks of a password.
    if stores.state_store().user_named(name)?.is_some() {
        return Err(UserError::NameTaken(name.clone()).into());
    }
    let scopes: BTreeSet<Scope> = scope.iter().copied().collect();
    let user = User {
        id: UserId::from(Uuid::now_v7()),
        tenant: tenant.clone(),
        name: name.clone(),
        scopes: if scopes.is_empty() { Scope::ALL.into() } else { scopes },
        disabled_at: None,
    };
    let chosen = password::choose(name, arguments.password, console)?;
    stores.state_store().create_user(&user, &hash(&chosen)?, Utc::now())?;
    let done = format!("User {name} of {tenant}.");
    show_new_user(&user, &chosen, &done, *format, console)
}

fn change_scopes(
    arguments: &ChangeScopesArgs,
    global: &GlobalArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let ChangeScopesArgs { name, add, remove, format } = arguments;
    if let Some(scope) = add.iter().find(|scope| remove.contains(scope)) {
        return Err(CommandError::usage(
            format!("`{scope}` is both added and removed"),
            "name each scope once",
        ));
    }
    let (add, remove) = (add.iter().copied().collect(), remove.iter().copied().collect());
    let changed = stores(global)?.state_store().change_scopes(name, &add, &remove)?;
    let scopes: Vec<&str> = changed.user.scopes.iter().map(|scope| scope.as_str()).collect();
    let done = match scopes.as_slice() {
        [] => format!("User {name} may do nothing now."),
        scopes => format!("User {name} now has the scopes {}.", scopes.join(", ")),
    };
    show_changed(&changed, &done, *format, console)
}

fn set_password(
    name: &UserName,
    source: PasswordArgs,
    global: &GlobalArgs,
    format: FormatArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let stores = stores(global)?;
    expect_user(&stores, name)?;
    let chosen = password::choose(name, source, console)?;
    let changed = stores.state_store().set_password(name, &hash(&chosen)?, Utc::now())?;
    let done = format!(
        "Set the password of user {name}. Its sessions and the access of its programs have ended."
    );
    show_new_user(&changed.user, &chosen, &done, format, console)
}

/// Refuses a user that does not exist before anybody thinks of a password.
fn expect_user(stores: &Stores, name: &UserName) -> Result<(), CommandError> {
    match stores.state_store().user_named(name)? {
        Some(_) => Ok(()),
        None => Err(UserError::NoUser(name.clone()).into()),
    }
}

fn hash(chosen: &ChosenPassword) -> Result<PasswordHash, CommandError> {
    PasswordHash::new(&chosen.password)
        .map_err(|error| CommandError::internal("cannot hash the password", error))
}

/// Shows a password if it was generated here.
fn show_new_user(
    user: &User,
    chosen: &ChosenPassword,
    done: &str,
    format: FormatArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let made = chosen.is_generated.then(|| chosen.password.reveal());
    if format.is_json() {
        console.print_json(&NewUserView::new(user, made))?;
    } else if let Some(password) = made {
        // The password alone, so that `PASSWORD=$(visibility-server users create ..)` is enough.
        console.print(&format!("{password}\n"))?;
        console.say(&format!("{done} The password is not shown again: save it now."));
    } else {
        console.print(&format!("{done}\n"))?;
    }
    Ok(Exit::Ok)
}

fn show_changed(
    changed: &StoredUser,
    done: &str,
    format: FormatArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    if format.is_json() {
        console.print_json(&UserView::from(changed))?;
    } else {
        console.print(&format!("{done}\n"))?;
    }
    Ok(Exit::Ok)
}

fn list(
    tenant: Option<&TenantSlug>,
    global: &GlobalArgs,
    format: FormatArgs,
    console: Console,
) -> Result<Exit, CommandError> {
    let stores = stores(global)?;
    if let Some(tenant) = tenant {
        expect_tenant(&stores, tenant, Utc::now())?;
    }
    let users = stores.state_store().users(tenant)?;
    let listed: Vec<UserView<'_>> = users.iter().map(UserView::from).collect();
    if format.is_json() {
        console.print_json(&listed)?;
    } else if listed.is_empty() {
        console.say("There are no users. Next: visibility-server users create TENANT NAME");
    } else {
        let rows: Vec<Vec<String>> = listed.iter().map(UserView::row).collect();
        console.print_table(&view::TITLES, &rows)?;
    }
    Ok(Exit::Ok)
}
