import { describe, expect, it } from '@jest/globals';
import { bulkLines, splitIntoBulks, toWriteResult, type Change } from '@ugc/indexer/documents/bulk';

const change = (contentId: number, source: string): Change => ({ contentId, revision: 7, source });
const resultOf = (status: number, type?: string, more?: object) =>
  toWriteResult({ _index: 'i', status, ...(type && { error: { type, reason: 'because', ...more } }) });

describe('the result of writing a change', () => {
  it.each([
    [201, undefined, 'done'],
    [409, 'version_conflict_engine_exception', 'done'],
    [400, 'document_parsing_exception', 'reject'],
    [400, 'something_unlisted', 'retry'],
    [400, 'index_closed_exception', 'retry'],
    [429, 'es_rejected_execution_exception', 'retry'],
  ])('with status %s and type %s is: %s', (status, type, outcome) => {
    expect(resultOf(status, type).outcome).toBe(outcome);
  });

  it('has the type and the reason of the error', () => {
    expect(resultOf(400, 'document_parsing_exception')).toEqual({ outcome: 'reject', reason: 'document_parsing_exception: because' });
  });

  it('does not quote the document in its reason', () => {
    const secret = {
      reason: "failed to parse. Preview of field's value: 'secret'",
      caused_by: { type: 'number_format', reason: 'secret' },
    };
    expect(resultOf(400, 'document_parsing_exception', secret)).toEqual({
      outcome: 'reject',
      reason: 'document_parsing_exception: failed to parse. (number_format)',
    });
  });
});

describe('a bulk request', () => {
  it('sends complete documents with their revision as external version', () => {
    expect(bulkLines([change(5, '{"a":1}')])).toEqual(['{"index":{"_id":"5","version":7,"version_type":"external_gte"}}', '{"a":1}']);
  });

  it.each([
    ['holds all changes that fit', ['aa', 'bb', 'c'], [['aa', 'bb', 'c']]],
    ['is split before it exceeds the limit', ['aaa', 'bbb', 'cc'], [['aaa'], ['bbb', 'cc']]],
    ['holds a document above the limit alone', ['aaaaaaaa', 'b'], [['aaaaaaaa'], ['b']]],
    ['is measured in bytes, not in characters', ['ééé', 'b'], [['ééé'], ['b']]],
    ['holds no more documents than the limit', ['a', 'b', 'c', 'd'], [['a', 'b', 'c'], ['d']]],
    ['is not sent without changes', [], []],
  ])('with a limit of five bytes and three documents %s', (_guarantee, sources, batches) => {
    const changes = sources.map((source, position) => change(position, source));
    expect(splitIntoBulks(changes, { bytes: 5, documents: 3 }).map((batch) => batch.map(({ source }) => source))).toEqual(batches);
  });
});
