-- How often a document holds each of its terms, so that an index of words can be made over it; null
-- in rows of an earlier version until `hypermnesia reindex`.
ALTER TABLE document ADD COLUMN counts integer[];

-- Terms as text for the extension pg_textsearch, one word for each time that they occur. A word is a
-- hash of scope and term: letters and digits that no parser takes apart, and another in each scope,
-- so that a search reads the postings of its own scope alone.
CREATE FUNCTION lexemes(scope bigint, terms text[], counts integer[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
        SELECT string_agg(repeat(
            'h' || to_hex(hashtextextended(t.term COLLATE "C", scope)) || ' ',
            coalesce(t.count, 1)), '')
        FROM unnest(terms, counts) AS t (term, count)
    $$;
