CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    party TEXT NOT NULL,
    name TEXT NOT NULL,
    title TEXT,
    created INTEGER NOT NULL,
    used INTEGER NOT NULL,
    messages INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    UNIQUE (party, name)
) STRICT;
CREATE INDEX sessions_of_party ON sessions (party, bytes);
CREATE INDEX sessions_by_use ON sessions (used);

CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    message TEXT NOT NULL,
    words TEXT NOT NULL,
    UNIQUE (session, position)
) STRICT;

CREATE TABLE appends (
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    said BLOB NOT NULL,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (session, key)
) STRICT, WITHOUT ROWID;

-- Words are folded before they come here, so that they are found as the host compares them.
CREATE VIRTUAL TABLE messages_words USING fts5 (words, content = 'messages', content_rowid = 'id', tokenize = 'trigram case_sensitive 1');
CREATE TRIGGER messages_inserted AFTER INSERT ON messages BEGIN
    INSERT INTO messages_words (rowid, words) VALUES (new.id, new.words);
END;
CREATE TRIGGER messages_deleted AFTER DELETE ON messages BEGIN
    INSERT INTO messages_words (messages_words, rowid, words) VALUES ('delete', old.id, old.words);
END;
