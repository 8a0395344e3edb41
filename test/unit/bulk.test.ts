import { describe, expect, it } from '@jest/globals';
import { bulkLines, cutByBytes, outcomeOf, type Change } from '@ugc/indexer/documents/bulk';

const change = (contentId: number, source: string): Change => ({ contentId, revision: 7, source });
const answer = (status: number, type?: string) => outcomeOf({ _index: 'i', status, ...(type && { error: { type, reason: 'because' } }) });

describe('an answer of Elasticsearch means', () => {
  it.each([
    [200, undefined, 'written'],
    [201, undefined, 'written'],
    [409, 'version_conflict_engine_exception', 'written'],
    [400, 'document_parsing_exception', 'rejected'],
    [400, 'mapper_parsing_exception', 'rejected'],
    [400, 'strict_dynamic_mapping_exception', 'rejected'],
    [400, 'illegal_argument_exception', 'rejected'],
    [400, 'action_request_validation_exception', 'rejected'],
    [400, 'index_closed_exception', 'retry'],
    [401, 'security_exception', 'retry'],
    [403, 'cluster_block_exception', 'retry'],
    [404, 'index_not_found_exception', 'retry'],
    [429, 'es_rejected_execution_exception', 'retry'],
    [429, 'cluster_block_exception', 'retry'],
    [500, 'something_new', 'retry'],
    [503, 'unavailable_shards_exception', 'retry'],
  ])('%i %s: %s', (status, type, kind) => {
    expect(answer(status, type).kind).toBe(kind);
  });

  it('keeps the reason', () => {
    expect(answer(400, 'document_parsing_exception')).toEqual({ kind: 'rejected', reason: 'document_parsing_exception: because' });
  });
});

describe('a bulk request', () => {
  it('sends full documents under their revision as external version', () => {
    expect(bulkLines([change(5, '{"a":1}')])).toEqual(['{"index":{"_id":"5","version":7,"version_type":"external_gte"}}', '{"a":1}']);
  });

  it.each([
    ['keeps what fits together', ['aa', 'bb', 'c'], [['aa', 'bb', 'c']]],
    ['is cut before the limit is passed', ['aaa', 'bbb', 'cc'], [['aaa'], ['bbb', 'cc']]],
    ['takes a document above the limit alone', ['aaaaaaaa', 'b'], [['aaaaaaaa'], ['b']]],
    ['counts bytes, not characters', ['ééé', 'b'], [['ééé'], ['b']]],
    ['of nothing is none', [], []],
  ])('%s', (_what, sources, runs) => {
    const changes = sources.map((source, position) => change(position, source));
    expect(cutByBytes(changes, 5).map((run) => run.map(({ source }) => source))).toEqual(runs);
  });
});
