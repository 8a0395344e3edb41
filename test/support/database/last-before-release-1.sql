-- A new database of the last commit before 1.0.0, by pg_dump --inserts.
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE FUNCTION public.database_identity() RETURNS jsonb
    LANGUAGE plpgsql STABLE
    AS $$
declare
  system_identifier text := '';
begin
  begin
    select c.system_identifier into system_identifier from pg_control_system() c;
  exception when insufficient_privilege then
    null;
  end;
  return jsonb_build_object(
    'id', (select database_id from index_control),
    'system', system_identifier,
    'oid', (select oid::text from pg_database where datname = current_database()),
    'address', coalesce(host(inet_server_addr()) || ':' || inet_server_port(), ''),
    'name', current_database()
  );
end
$$;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.backup (
    completed_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    made_by text NOT NULL
);

CREATE TABLE public.blocked_user (
    credential_hash bytea NOT NULL,
    user_id bigint,
    blocked_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    reason text,
    CONSTRAINT blocked_user_credential_hash_check CHECK ((octet_length(credential_hash) = 32)),
    CONSTRAINT blocked_user_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 1000)))
);

CREATE TABLE public.content (
    content_id bigint NOT NULL,
    creator_id bigint NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    data text NOT NULL,
    version integer NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    downloads_count bigint DEFAULT 0 NOT NULL,
    latest_downloads_count bigint DEFAULT 0 NOT NULL,
    rating_sum bigint DEFAULT 0 NOT NULL,
    rating_count bigint DEFAULT 0 NOT NULL,
    avg_rating double precision GENERATED ALWAYS AS (
CASE
    WHEN (rating_count = 0) THEN (0)::double precision
    ELSE ((rating_sum)::double precision / (rating_count)::double precision)
END) STORED NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    edits bigint DEFAULT 0 NOT NULL,
    deleted_at timestamp(3) with time zone,
    file_name text,
    CONSTRAINT content_check CHECK (((latest_downloads_count >= 0) AND (latest_downloads_count <= downloads_count))),
    CONSTRAINT content_check1 CHECK (((rating_sum >= rating_count) AND (rating_sum <= (5 * rating_count)))),
    CONSTRAINT content_data_check CHECK ((char_length(data) <= 4194304)),
    CONSTRAINT content_description_check CHECK ((char_length(description) <= 100000)),
    CONSTRAINT content_downloads_count_check CHECK ((downloads_count >= 0)),
    CONSTRAINT content_name_check CHECK ((((char_length(name) >= 1) AND (char_length(name) <= 1000)) OR ((deleted_at IS NOT NULL) AND (name = ''::text)))),
    CONSTRAINT content_revision_check CHECK ((revision >= 1)),
    CONSTRAINT content_tags_check CHECK ((cardinality(tags) <= 256)),
    CONSTRAINT content_version_check CHECK ((version >= 0))
);

COMMENT ON COLUMN public.content.name IS 'In normalization form NFC.';

COMMENT ON COLUMN public.content.tags IS 'In normalization form NFC, each once.';

ALTER TABLE public.content ALTER COLUMN content_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.content_content_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.content_thumbnail (
    content_id bigint NOT NULL,
    media_type text NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT content_thumbnail_bytes_check CHECK (((octet_length(bytes) >= 1) AND (octet_length(bytes) <= 16777216))),
    CONSTRAINT content_thumbnail_media_type_check CHECK ((media_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text, 'image/gif'::text])))
);

CREATE TABLE public.embedding (
    content_id bigint NOT NULL,
    generation integer NOT NULL,
    text_hash bytea NOT NULL,
    vector bytea,
    refused_reason text
);

CREATE TABLE public.embedding_model (
    generation integer NOT NULL,
    model text NOT NULL,
    dimensions integer,
    query_prefix text NOT NULL,
    text_prefix text NOT NULL,
    state text DEFAULT 'next'::text NOT NULL,
    state_since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    used_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    walked_to bigint DEFAULT 0 NOT NULL,
    walk_found bigint DEFAULT 0 NOT NULL,
    walk_began_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    walk_due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT embedding_model_state_check CHECK ((state = ANY (ARRAY['next'::text, 'search'::text, 'previous'::text])))
);

ALTER TABLE public.embedding_model ALTER COLUMN generation ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.embedding_model_generation_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.embedding_work (
    content_id bigint NOT NULL,
    added_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.erasure_receipt (
    user_id bigint NOT NULL,
    completed_at timestamp(3) with time zone NOT NULL,
    receipt json NOT NULL
);

CREATE TABLE public.external_item (
    external_id text NOT NULL COLLATE pg_catalog."C",
    content_id bigint NOT NULL,
    line_hash bytea NOT NULL,
    downloads_count bigint,
    CONSTRAINT external_item_external_id_check CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 200))),
    CONSTRAINT external_item_line_hash_check CHECK ((octet_length(line_hash) = 32))
);

CREATE TABLE public.hidden_content (
    content_id bigint NOT NULL,
    creator_id bigint NOT NULL,
    hidden_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    hidden_by text,
    reason text NOT NULL,
    by_block boolean DEFAULT false NOT NULL,
    CONSTRAINT hidden_content_hidden_by_check CHECK (((char_length(hidden_by) >= 1) AND (char_length(hidden_by) <= 1000))),
    CONSTRAINT hidden_content_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 1000)))
);

CREATE TABLE public.idempotency_key (
    user_id bigint NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    outcome jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT idempotency_key_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
);

CREATE TABLE public.index_ahead (
    singleton boolean DEFAULT true NOT NULL,
    items bigint DEFAULT 0 NOT NULL,
    first_seen_at timestamp with time zone,
    last_seen_at timestamp with time zone,
    audited_at timestamp with time zone,
    CONSTRAINT index_ahead_singleton_check CHECK (singleton)
);

CREATE TABLE public.index_comparison (
    singleton boolean DEFAULT true NOT NULL,
    claimed_by uuid,
    claimed_until timestamp with time zone,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_at timestamp with time zone,
    items bigint DEFAULT 0 NOT NULL,
    compared_to bigint DEFAULT 0 NOT NULL,
    differences jsonb DEFAULT '{}'::jsonb NOT NULL,
    repaired bigint DEFAULT 0 NOT NULL,
    last_round jsonb,
    CONSTRAINT index_comparison_singleton_check CHECK (singleton)
);

CREATE TABLE public.index_control (
    singleton boolean DEFAULT true NOT NULL,
    generation bigint DEFAULT 0 NOT NULL,
    paused_at timestamp with time zone,
    database_id uuid DEFAULT gen_random_uuid() NOT NULL,
    beat uuid,
    previous_beat uuid,
    beat_at timestamp with time zone,
    foreign_beats integer DEFAULT 0 NOT NULL,
    foreign_job_database jsonb,
    foreign_job_at timestamp with time zone,
    CONSTRAINT index_control_singleton_check CHECK (singleton)
);

CREATE TABLE public.index_dropped (
    content_id bigint NOT NULL,
    revision bigint NOT NULL,
    reason text NOT NULL,
    dropped_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE public.index_lock (
    name text NOT NULL,
    token uuid NOT NULL,
    holder text,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.index_outbox (
    content_id bigint NOT NULL,
    revision bigint NOT NULL,
    pending_since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    job_id uuid,
    claimed_at timestamp with time zone,
    claims integer DEFAULT 0 NOT NULL,
    rejected_reason text,
    indexed_revision bigint,
    traceparent text,
    changed_at timestamp with time zone DEFAULT clock_timestamp(),
    CONSTRAINT index_outbox_check CHECK (((job_id IS NULL) = (claimed_at IS NULL))),
    CONSTRAINT index_outbox_check1 CHECK (((rejected_reason IS NULL) OR (job_id IS NULL)))
);

CREATE TABLE public.index_target (
    index_name text NOT NULL,
    role text NOT NULL,
    role_since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    mapping_version integer DEFAULT 1 NOT NULL,
    uuid text,
    filled_to bigint DEFAULT 0 NOT NULL,
    fill_attempts integer DEFAULT 0 NOT NULL,
    rejected_reason text,
    CONSTRAINT index_target_check CHECK (((role <> 'search'::text) OR (rejected_reason IS NULL))),
    CONSTRAINT index_target_role_check CHECK ((role = ANY (ARRAY['search'::text, 'next'::text, 'previous'::text])))
);

CREATE TABLE public.rating (
    content_id bigint NOT NULL,
    user_id bigint NOT NULL,
    score smallint NOT NULL,
    CONSTRAINT rating_score_check CHECK (((score >= 1) AND (score <= 5)))
);

CREATE TABLE public.rename_progress (
    user_id bigint NOT NULL,
    after_content_id bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.schema_migration (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    run_on timestamp without time zone NOT NULL
);

CREATE SEQUENCE public.schema_migration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.schema_migration_id_seq OWNED BY public.schema_migration.id;

CREATE TABLE public.search_insight (
    day date NOT NULL,
    prompt_hash bytea NOT NULL,
    users integer NOT NULL,
    nothing_found integer DEFAULT 0 NOT NULL,
    corrected integer DEFAULT 0 NOT NULL,
    last_at timestamp with time zone NOT NULL,
    prompt text,
    correction text,
    CONSTRAINT search_insight_check CHECK (((users >= 5) OR ((prompt IS NULL) AND (correction IS NULL)))),
    CONSTRAINT search_insight_corrected_check CHECK ((corrected >= 0)),
    CONSTRAINT search_insight_correction_check CHECK ((char_length(correction) <= 1100)),
    CONSTRAINT search_insight_nothing_found_check CHECK ((nothing_found >= 0)),
    CONSTRAINT search_insight_prompt_check CHECK (((char_length(prompt) >= 1) AND (char_length(prompt) <= 100))),
    CONSTRAINT search_insight_prompt_hash_check CHECK ((octet_length(prompt_hash) = 16)),
    CONSTRAINT search_insight_users_check CHECK ((users >= 0))
);

CREATE TABLE public.search_insight_user (
    day date NOT NULL,
    prompt_hash bytea NOT NULL,
    user_hash bytea NOT NULL,
    CONSTRAINT search_insight_user_prompt_hash_check CHECK ((octet_length(prompt_hash) = 16)),
    CONSTRAINT search_insight_user_user_hash_check CHECK ((octet_length(user_hash) = 16))
);

CREATE TABLE public.user_erasure (
    user_id bigint NOT NULL,
    credential_hash bytea NOT NULL,
    started_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    items bigint DEFAULT 0 NOT NULL,
    ratings bigint DEFAULT 0 NOT NULL,
    idempotency_keys bigint DEFAULT 0 NOT NULL,
    hidings bigint DEFAULT 0 NOT NULL,
    external_ids bigint DEFAULT 0 NOT NULL,
    blocked_hashes bytea[] DEFAULT '{}'::bytea[] NOT NULL,
    CONSTRAINT user_erasure_credential_hash_check CHECK ((octet_length(credential_hash) = 32))
);

CREATE TABLE public.users (
    user_id bigint NOT NULL,
    username text NOT NULL,
    credential text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    name_issued_at timestamp with time zone,
    CONSTRAINT users_credential_check CHECK (((char_length(credential) >= 1) AND (char_length(credential) <= 400))),
    CONSTRAINT users_username_check CHECK (((char_length(username) >= 1) AND (char_length(username) <= 200)))
);

ALTER TABLE public.users ALTER COLUMN user_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.users_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY public.schema_migration ALTER COLUMN id SET DEFAULT nextval('public.schema_migration_id_seq'::regclass);

-- Data for Name: backup; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: blocked_user; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: content; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: content_thumbnail; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: embedding; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: embedding_model; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: embedding_work; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: erasure_receipt; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: external_item; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: hidden_content; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: idempotency_key; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: index_ahead; Type: TABLE DATA; Schema: public; Owner: -

INSERT INTO public.index_ahead VALUES (true, 0, NULL, NULL, NULL);

-- Data for Name: index_comparison; Type: TABLE DATA; Schema: public; Owner: -

INSERT INTO public.index_comparison VALUES (true, NULL, NULL, '2026-11-28 18:42:08.635444+00', NULL, 0, 0, '{}', 0, NULL);

-- Data for Name: index_control; Type: TABLE DATA; Schema: public; Owner: -

INSERT INTO public.index_control VALUES (true, 0, NULL, '1f0c210f-d787-4527-a201-cd5652064f69', NULL, NULL, NULL, 0, NULL, NULL);

-- Data for Name: index_dropped; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: index_lock; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: index_outbox; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: index_target; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: rating; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: rename_progress; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: schema_migration; Type: TABLE DATA; Schema: public; Owner: -

INSERT INTO public.schema_migration VALUES (1, '001_schema', '2026-11-28 18:42:08.518728');
INSERT INTO public.schema_migration VALUES (2, '002_composed_texts', '2026-11-28 18:42:08.752264');
INSERT INTO public.schema_migration VALUES (3, '005_collations', '2026-11-28 18:42:08.830865');
INSERT INTO public.schema_migration VALUES (4, '006_hidden_content', '2026-11-28 18:42:08.853636');
INSERT INTO public.schema_migration VALUES (5, '007_blocked_user', '2026-11-28 18:42:08.894442');
INSERT INTO public.schema_migration VALUES (6, '008_external_item', '2026-11-28 18:42:08.946013');
INSERT INTO public.schema_migration VALUES (7, '009_file_name', '2026-11-28 18:42:08.996864');
INSERT INTO public.schema_migration VALUES (8, '010_erased_users', '2026-11-28 18:42:09.084265');
INSERT INTO public.schema_migration VALUES (9, '011_erasure_receipt', '2026-11-28 18:42:09.120241');
INSERT INTO public.schema_migration VALUES (10, '012_blocks_of_linked_users', '2026-11-28 18:42:09.170442');
INSERT INTO public.schema_migration VALUES (11, '013_blocks_of_erased_users', '2026-11-28 18:42:09.20687');
INSERT INTO public.schema_migration VALUES (12, '014_imported_downloads', '2026-11-28 18:42:09.259979');
INSERT INTO public.schema_migration VALUES (13, '015_backup', '2026-11-28 18:42:09.311248');
INSERT INTO public.schema_migration VALUES (14, '016_audited', '2026-11-28 18:42:09.357819');

-- Data for Name: search_insight; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: search_insight_user; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: user_erasure; Type: TABLE DATA; Schema: public; Owner: -

-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -

SELECT pg_catalog.setval('public.content_content_id_seq', 1, false);

SELECT pg_catalog.setval('public.embedding_model_generation_seq', 1, false);

SELECT pg_catalog.setval('public.schema_migration_id_seq', 14, true);

SELECT pg_catalog.setval('public.users_user_id_seq', 1, false);

ALTER TABLE ONLY public.backup
    ADD CONSTRAINT backup_pkey PRIMARY KEY (completed_at);

ALTER TABLE ONLY public.blocked_user
    ADD CONSTRAINT blocked_user_pkey PRIMARY KEY (credential_hash);

ALTER TABLE public.content
    ADD CONSTRAINT content_file_name_check CHECK (((char_length(file_name) >= 1) AND (char_length(file_name) <= 255))) NOT VALID;

ALTER TABLE ONLY public.content
    ADD CONSTRAINT content_pkey PRIMARY KEY (content_id);

ALTER TABLE ONLY public.content_thumbnail
    ADD CONSTRAINT content_thumbnail_pkey PRIMARY KEY (content_id);

ALTER TABLE ONLY public.embedding_model
    ADD CONSTRAINT embedding_model_pkey PRIMARY KEY (generation);

ALTER TABLE ONLY public.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (content_id, generation);

ALTER TABLE ONLY public.embedding_work
    ADD CONSTRAINT embedding_work_pkey PRIMARY KEY (content_id);

ALTER TABLE ONLY public.erasure_receipt
    ADD CONSTRAINT erasure_receipt_pkey PRIMARY KEY (user_id, completed_at);

ALTER TABLE ONLY public.external_item
    ADD CONSTRAINT external_item_pkey PRIMARY KEY (external_id);

ALTER TABLE ONLY public.hidden_content
    ADD CONSTRAINT hidden_content_pkey PRIMARY KEY (content_id);

ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (user_id, key);

ALTER TABLE ONLY public.index_ahead
    ADD CONSTRAINT index_ahead_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.index_comparison
    ADD CONSTRAINT index_comparison_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.index_control
    ADD CONSTRAINT index_control_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.index_dropped
    ADD CONSTRAINT index_dropped_pkey PRIMARY KEY (content_id);

ALTER TABLE ONLY public.index_lock
    ADD CONSTRAINT index_lock_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.index_outbox
    ADD CONSTRAINT index_outbox_pkey PRIMARY KEY (content_id);

ALTER TABLE ONLY public.index_target
    ADD CONSTRAINT index_target_pkey PRIMARY KEY (index_name);

ALTER TABLE ONLY public.rating
    ADD CONSTRAINT rating_pkey PRIMARY KEY (content_id, user_id);

ALTER TABLE ONLY public.rename_progress
    ADD CONSTRAINT rename_progress_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.search_insight
    ADD CONSTRAINT search_insight_pkey PRIMARY KEY (day, prompt_hash);

ALTER TABLE ONLY public.search_insight_user
    ADD CONSTRAINT search_insight_user_pkey PRIMARY KEY (day, prompt_hash, user_hash);

ALTER TABLE ONLY public.user_erasure
    ADD CONSTRAINT user_erasure_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_credential_key UNIQUE (credential);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (user_id);

CREATE INDEX content_creator ON public.content USING btree (creator_id, content_id);

CREATE INDEX content_deleted ON public.content USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE INDEX embedding_generation ON public.embedding USING btree (generation);

CREATE UNIQUE INDEX embedding_model_state ON public.embedding_model USING btree (state) WHERE (state <> 'previous'::text);

CREATE INDEX embedding_refused ON public.embedding USING btree (generation) WHERE (vector IS NULL);

CREATE INDEX embedding_work_due ON public.embedding_work USING btree (due_at, content_id);

CREATE INDEX external_item_content ON public.external_item USING btree (content_id);

CREATE INDEX hidden_content_creator ON public.hidden_content USING btree (creator_id, hidden_at, content_id);

CREATE INDEX hidden_content_newest ON public.hidden_content USING btree (hidden_at, content_id);

CREATE UNIQUE INDEX idempotency_key_bytes ON public.idempotency_key USING btree (user_id, key COLLATE "C");

CREATE INDEX idempotency_key_created ON public.idempotency_key USING btree (created_at);

CREATE INDEX index_outbox_claimed ON public.index_outbox USING btree (job_id, claimed_at) WHERE (job_id IS NOT NULL);

CREATE INDEX index_outbox_due ON public.index_outbox USING btree (due_at) WHERE ((job_id IS NULL) AND (rejected_reason IS NULL));

CREATE INDEX index_outbox_rejected ON public.index_outbox USING btree (content_id) WHERE (rejected_reason IS NOT NULL);

CREATE UNIQUE INDEX index_target_role ON public.index_target USING btree (role, regexp_replace(index_name, '-v\d+-\d+$'::text, ''::text)) WHERE (role <> 'previous'::text);

CREATE INDEX rating_user ON public.rating USING btree (user_id, content_id);

CREATE INDEX search_insight_without_prompt ON public.search_insight USING btree (day) WHERE (prompt IS NULL);

CREATE UNIQUE INDEX users_credential_bytes ON public.users USING btree (credential COLLATE "C");

ALTER TABLE ONLY public.content
    ADD CONSTRAINT content_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES public.users(user_id);

ALTER TABLE ONLY public.content_thumbnail
    ADD CONSTRAINT content_thumbnail_content_id_fkey FOREIGN KEY (content_id) REFERENCES public.content(content_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.embedding
    ADD CONSTRAINT embedding_content_id_fkey FOREIGN KEY (content_id) REFERENCES public.content(content_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.embedding
    ADD CONSTRAINT embedding_generation_fkey FOREIGN KEY (generation) REFERENCES public.embedding_model(generation) ON DELETE CASCADE;

ALTER TABLE ONLY public.embedding_work
    ADD CONSTRAINT embedding_work_content_id_fkey FOREIGN KEY (content_id) REFERENCES public.content(content_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.hidden_content
    ADD CONSTRAINT hidden_content_content_id_fkey FOREIGN KEY (content_id) REFERENCES public.content(content_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rating
    ADD CONSTRAINT rating_content_id_fkey FOREIGN KEY (content_id) REFERENCES public.content(content_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rating
    ADD CONSTRAINT rating_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);

ALTER TABLE ONLY public.rename_progress
    ADD CONSTRAINT rename_progress_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(user_id);

