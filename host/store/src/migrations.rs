//! The schema, one step a version. Steps that were released never change.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::StoreError;

/// Each leads from its place in the list to the next version.
const STEPS: [&str; 1] = [include_str!("schema/1.sql")];

/// Brings a database to the newest version, whole or not at all. One that is newer is not touched.
pub(crate) fn migrate(connection: &mut Connection, file: &Path) -> Result<(), StoreError> {
    let wrong = |error| StoreError::sqlite(file, error);
    // Of one state: another process may be making the file.
    let look = connection.transaction_with_behavior(TransactionBehavior::Deferred).map_err(wrong)?;
    let is_newest = check(&look, file)?.is_empty();
    drop(look);
    if is_newest {
        return Ok(());
    }
    // Of several processes one is first, and the others find it done.
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
    for step in check(&change, file)? {
        change.execute_batch(step).map_err(wrong)?;
    }
    change.pragma_update(None, "user_version", known()).map_err(wrong)?;
    change.commit().map_err(wrong)
}

/// The steps that are to be taken.
fn check(state: &Transaction<'_>, file: &Path) -> Result<&'static [&'static str], StoreError> {
    let wrong = |error| StoreError::sqlite(file, error);
    let found: i64 = state.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(wrong)?;
    let steps = usize::try_from(found).ok().and_then(|found| STEPS.get(found..));
    let Some(steps) = steps else {
        return Err(StoreError::Newer { file: file.to_owned(), found, known: known() });
    };
    if found == 0 {
        let tables: i64 = state.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0)).map_err(wrong)?;
        if tables > 0 {
            return Err(StoreError::Foreign { file: file.to_owned() });
        }
    }
    Ok(steps)
}

fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}
