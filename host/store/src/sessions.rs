//! Sessions in the file.

use std::sync::Arc;
use std::time::SystemTime;

use hermes_core::Digest;
use hermes_core::sessions::{
    AppendKey, Appended, Bounds, Hit, Message, Page, Party, Query, Remembered, SessionError, SessionStore, Stored,
    Totals, fold, millis,
};
use rusqlite::types::{Type, Value};
use rusqlite::{OptionalExtension as _, Row, Transaction, params, params_from_iter};

use crate::database::Database;

/// Remembers sessions in a [`Database`].
pub struct FileSessions {
    database: Arc<Database>,
    bounds: Bounds,
    clock: Box<dyn Fn() -> SystemTime + Send + Sync>,
}

/// A session, and the columns that nobody is shown.
struct Found {
    id: i64,
    about: Remembered,
    bytes: u64,
}

const COLUMNS: &str = "id, name, title, created, used, messages, bytes";

impl FileSessions {
    /// Remembers as much as `bounds` say; `clock` tells the time.
    pub fn new(
        database: Arc<Database>,
        bounds: Bounds,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Self {
        Self { database, bounds, clock: Box::new(clock) }
    }

    fn now(&self) -> u64 {
        millis((self.clock)())
    }

    /// Sessions that were used later are there; those before are forgotten, whether they were removed yet or not.
    fn since(&self, now: u64) -> i64 {
        self.bounds.forgotten(now).map_or(-1, column)
    }

    /// Lets `work` change sessions, after those that are forgotten were removed. It is given the time.
    fn write<T>(
        &self,
        work: impl Fn(&Transaction<'_>, u64) -> rusqlite::Result<Result<T, SessionError>>,
    ) -> Result<T, SessionError> {
        let now = self.now();
        self.database.write(|change| {
            // What belongs to them goes with them.
            change.execute("DELETE FROM sessions WHERE used <= ?1", [self.since(now)])?;
            work(change, now)
        })
    }

    fn find(&self, state: &Transaction<'_>, party: &Party, id: &str, now: u64) -> rusqlite::Result<Option<Found>> {
        let sql = format!("SELECT {COLUMNS} FROM sessions WHERE party = ?1 AND name = ?2 AND used > ?3");
        state.query_row(&sql, params![name(party), id, self.since(now)], found).optional()
    }
}

impl SessionStore for FileSessions {
    fn create(&self, party: &Party, id: &str, title: Option<&str>) -> Result<Remembered, SessionError> {
        self.write(|change, now| {
            if self.find(change, party, id, now)?.is_some() {
                return Ok(Err(SessionError::Exists));
            }
            let count = "SELECT count(*) FROM sessions WHERE party = ?1";
            let count: i64 = change.query_row(count, [name(party)], |row| row.get(0))?;
            if let Err(full) = self.bounds.check_create(number(count)) {
                return Ok(Err(full));
            }
            let insert = "INSERT INTO sessions (party, name, title, created, used) VALUES (?1, ?2, ?3, ?4, ?4)";
            change.execute(insert, params![name(party), id, title, column(now)])?;
            let (id, title) = (id.to_owned(), title.map(str::to_owned));
            Ok(Ok(Remembered { id, title, created: now, used: now, messages: 0 }))
        })
    }

    fn append(
        &self,
        party: &Party,
        id: &str,
        messages: &[Message],
        key: Option<&AppendKey>,
    ) -> Result<Appended, SessionError> {
        let more = self.bounds.measure(messages)?;
        self.write(|change, now| {
            let Some(found) = self.find(change, party, id, now)? else { return Ok(Err(SessionError::Unknown)) };
            if let Some(key) = key
                && let Some(known) = appended(change, found.id, key)?
            {
                return Ok(known);
            }
            let all = "SELECT coalesce(sum(bytes), 0) FROM sessions WHERE party = ?1";
            let all: i64 = change.query_row(all, [name(party)], |row| row.get(0))?;
            let held = Totals { messages: found.about.messages, bytes: found.bytes };
            if let Err(full) = self.bounds.check_append(held, number(all), more) {
                return Ok(Err(full));
            }
            let insert = "INSERT INTO messages (session, position, at, message, words) VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut insert = change.prepare(insert)?;
            for (position, message) in (held.messages..).zip(messages) {
                let (json, words) = (message.to_json(), fold(&message.text()));
                insert.execute(params![found.id, column(position), column(now), json, words])?;
            }
            let update = "UPDATE sessions SET messages = messages + ?2, bytes = bytes + ?3, used = ?4 WHERE id = ?1";
            change.execute(update, params![found.id, column(more.messages), column(more.bytes), column(now)])?;
            let appended = Appended { first: held.messages, count: more.messages };
            if let Some(AppendKey { key, said }) = key {
                let insert = "INSERT INTO appends (session, key, said, first, count) VALUES (?1, ?2, ?3, ?4, ?5)";
                let (first, count) = (column(appended.first), column(appended.count));
                change.execute(insert, params![found.id, key, said.bytes(), first, count])?;
            }
            Ok(Ok(appended))
        })
    }

    fn list(&self, party: &Party, from: Option<u64>, limit: usize) -> Result<Page<Remembered>, SessionError> {
        let since = self.since(self.now());
        let read = self.database.read(|state| {
            let sql = format!(
                "SELECT {COLUMNS} FROM sessions WHERE party = ?1 AND used > ?2 AND id <= ?3 ORDER BY id DESC LIMIT ?4"
            );
            let (from, limit) = (from.map_or(i64::MAX, column), one_more(limit));
            let mut select = state.prepare(&sql)?;
            let rows = select.query_map(params![name(party), since, from, limit], found)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        });
        let mut rows = read?;
        let next = rows.get(limit).map(|found| number(found.id));
        rows.truncate(limit);
        Ok(Page { items: rows.into_iter().map(|found| found.about).collect(), next })
    }

    fn read(
        &self,
        party: &Party,
        id: &str,
        from: u64,
        limit: usize,
    ) -> Result<(Remembered, Page<Stored>), SessionError> {
        let now = self.now();
        let read = self.database.read(|state| {
            let Some(found) = self.find(state, party, id, now)? else { return Ok(None) };
            let sql = "SELECT position, at, message FROM messages WHERE session = ?1 AND position >= ?2 \
                       ORDER BY position LIMIT ?3";
            let mut select = state.prepare(sql)?;
            let rows = select.query_map(params![found.id, column(from), one_more(limit)], |row| {
                Ok(Stored { position: number(row.get(0)?), at: number(row.get(1)?), message: message(row, 2)? })
            })?;
            Ok(Some((found, Page::fill(rows, limit)?)))
        });
        let (mut found, page) = read?.ok_or(SessionError::Unknown)?;
        if found.about.is_stale(now) {
            let update = "UPDATE sessions SET used = ?2 WHERE id = ?1 AND used < ?2";
            self.write(|change, now| change.execute(update, params![found.id, column(now)]).map(Ok))?;
            found.about.used = now;
        }
        Ok((found.about, page))
    }

    fn search(&self, party: &Party, query: &Query, limit: usize) -> Result<Vec<Hit>, SessionError> {
        let since = self.since(self.now());
        // The index knows three characters and more; what is shorter is looked for in the texts themselves.
        let (long, short): (Vec<&String>, Vec<&String>) =
            query.terms().iter().partition(|term| term.chars().nth(2).is_some());
        let (mut filters, mut values) =
            (String::new(), vec![Value::from(name(party)), since.into(), rows(limit).into()]);
        if !long.is_empty() {
            // Between quotes nothing is an operator; a quote itself is written twice.
            let phrases: Vec<String> = long.iter().map(|term| format!("\"{}\"", term.replace('"', "\"\""))).collect();
            values.push(phrases.join(" AND ").into());
            filters.push_str("AND m.id IN (SELECT rowid FROM messages_words WHERE messages_words MATCH ?4) ");
        }
        for term in short {
            values.push(term.clone().into());
            filters.push_str(&format!("AND instr(m.words, ?{}) > 0 ", values.len()));
        }
        let sql = format!(
            "SELECT s.name, m.position, m.at, m.message FROM messages AS m JOIN sessions AS s ON s.id = m.session \
             WHERE s.party = ?1 AND s.used > ?2 {filters} ORDER BY m.id DESC LIMIT ?3"
        );
        let hits = self.database.read(|state| {
            let mut select = state.prepare(&sql)?;
            let hits = select.query_map(params_from_iter(&values), |row| {
                let snippet = query.snippet(&message(row, 3)?.text());
                Ok(Hit { session: row.get(0)?, position: number(row.get(1)?), at: number(row.get(2)?), snippet })
            })?;
            hits.collect()
        });
        Ok(hits?)
    }

    fn delete(&self, party: &Party, id: &str) -> Result<bool, SessionError> {
        self.write(|change, _| {
            let delete = "DELETE FROM sessions WHERE party = ?1 AND name = ?2";
            change.execute(delete, params![name(party), id]).map(|deleted| Ok(deleted > 0))
        })
    }
}

/// What came before with this key, if anything did.
fn appended(
    change: &Transaction<'_>,
    session: i64,
    key: &AppendKey,
) -> rusqlite::Result<Option<Result<Appended, SessionError>>> {
    let sql = "SELECT said, first, count FROM appends WHERE session = ?1 AND key = ?2";
    let row = change.query_row(sql, params![session, key.key], |row| {
        let said: [u8; 32] = row.get(0)?;
        Ok((said, Appended { first: number(row.get(1)?), count: number(row.get(2)?) }))
    });
    let same = |said: [u8; 32]| said == *Digest::bytes(&key.said);
    let known = row.optional()?;
    Ok(known.map(|(said, appended)| if same(said) { Ok(appended) } else { Err(SessionError::Conflict) }))
}

fn found(row: &Row<'_>) -> rusqlite::Result<Found> {
    let about = Remembered {
        id: row.get(1)?,
        title: row.get(2)?,
        created: number(row.get(3)?),
        used: number(row.get(4)?),
        messages: number(row.get(5)?),
    };
    Ok(Found { id: row.get(0)?, about, bytes: number(row.get(6)?) })
}

fn message(row: &Row<'_>, place: usize) -> rusqlite::Result<Message> {
    let text: String = row.get(place)?;
    let read = hermes_manifest::strict_json(&text).map_err(|error| error.to_string());
    let read = read.and_then(|value| Message::try_from(value).map_err(|error| error.to_string()));
    read.map_err(|error| rusqlite::Error::FromSqlConversionFailure(place, Type::Text, error.into()))
}

/// A party as a column: no name of a tenant is one of the others.
fn name(party: &Party) -> String {
    match party {
        Party::Operator => "operator".to_owned(),
        Party::Tenant(tenant) => format!("tenant:{tenant}"),
        Party::Anyone => "anyone".to_owned(),
    }
}

/// SQLite's integers have a sign, and nothing that is counted here comes near their end.
fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn number(column: i64) -> u64 {
    u64::try_from(column).unwrap_or_default()
}

fn rows(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// One row behind a page tells whether there is another page.
fn one_more(limit: usize) -> i64 {
    rows(limit).saturating_add(1)
}
