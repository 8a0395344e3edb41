import { errors } from '@elastic/elasticsearch';
import { describe, expect, it } from '@jest/globals';
import { refusalKind, refusalKindsOf } from '@ugc/shared/stores/elasticsearch-errors';

const item = (status: number, type?: string) => ({ index: { _index: 'i', status, ...(type && { error: { type } }) } });
const response = (statusCode: number, type?: string) => new errors.ResponseError({ statusCode, body: { error: { type } } } as never);

describe('what Elasticsearch refuses is told apart by what a person has to do:', () => {
  it.each([
    ['too_busy', 429, 'es_rejected_execution_exception'],
    ['block', 429, 'cluster_block_exception'],
    ['block', 403, 'cluster_block_exception'],
    ['block', 400, 'index_closed_exception'],
    ['forbidden', 401, 'security_exception'],
    ['forbidden', 403, 'security_exception'],
    ['missing', 404, 'index_not_found_exception'],
    ['unavailable', 503, 'unavailable_shards_exception'],
    ['unavailable', 500, undefined],
  ])('%s: %s %s', (kind, status, type) => {
    expect([...refusalKindsOf([item(201), item(status, type)])]).toEqual([kind]);
    expect(refusalKind(response(status, type))).toBe(kind);
  });

  it('bad_request: only for a request as a whole, since a document at fault is rejected', () => {
    expect(refusalKind(response(400, 'parse_exception'))).toBe('bad_request');
    expect(refusalKind(response(413))).toBe('bad_request');
    expect([...refusalKindsOf([item(400, 'document_parsing_exception')])]).toEqual([]);
  });

  it('no_answer', () => {
    expect(refusalKind(new errors.TimeoutError('too late'))).toBe('no_answer');
    expect(refusalKind(new errors.ConnectionError('gone'))).toBe('no_answer');
  });

  it('nothing: what is written, or newer already', () => {
    expect([...refusalKindsOf([item(200), item(201), item(409, 'version_conflict_engine_exception')])]).toEqual([]);
  });
});
