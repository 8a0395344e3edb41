/**
 * Each rule of the protocol that the model can drop, and what it says. The code does not keep some of them. What it does
 * instead leaves a remainder that only a process causes that was paused for more than a minute:
 *
 * - `lease`: a process judges the owner again after five seconds, whatever beat the claim has.
 * - `removed-claim`: an index is deleted when it is judged to be owned just before.
 * - `comparison`: only the searched index is compared; every other one is compared before it is searched.
 * - `compare-contents`: the comparison and the audit compare revisions, and whether a document is a tombstone.
 * - `acknowledge-own-job`: an acknowledgement ignores revisions that the database does not have, and rows of newer ones.
 * - `unlist-first`: a target is retired before its index is deleted.
 */
export const RULES = {
  'one-statement': 'The targets and their generation are read in the same statement as the rows.',
  'search-last': 'The searched index is written last, and takes an item only when the other targets have it.',
  generation: 'An acknowledgement counts only in the generation of targets that was read.',
  'restore-generation': 'A restore raises the generation above those of the lost history.',
  'rollback-waits': 'A rollback waits for the changes that were pending at the swap.',
  identity: 'An indexer writes only to indices whose owner is its own database.',
  watch: 'A database takes over only after it has watched the beat of the owner for three beats.',
  'fresh-beat': 'A beat proves ownership only if it was not in the own database when the watch began.',
  'conditional-claim': 'A beat and a take-over are conditional on the claim that was read.',
  'watch-writes': 'A watch counts only the time in which Elasticsearch takes writes.',
  lease: 'An owner writes only while the claim has the newest beat of its database.',
  recheck: 'A decision about the ownership of an index is at most five seconds old when a write begins.',
  'split-ownership': 'A database that owns the index with its alias forgets the targets that another database owns.',
  'own-alias': 'The alias is moved away only from an index of the own database.',
  'own-name': 'A database takes over, after a watch, only indices of its own alias; it forgets the others.',
  'take-over-unlisted': 'An index that has the alias and is not a target is taken over as well, so that the alias can be moved.',
  'delete-again': 'The acknowledgement of a deletion counts only while the database does not have the item.',
  'removed-claim': 'An index is deleted after its claim says so, so that no other database takes it over in between.',
  'retry-remembered': 'A conflict with a version that no document shows is retried, because the document was deleted a moment ago.',
  'compare-after-conflict': 'A conflict is followed by a comparison of the versions with the revision.',
  'versions-first': 'After a conflict, the versions are read before the revision.',
  'compare-contents': 'The slow comparison compares contents as well as versions.',
  comparison: 'One indexer compares every item with every target, slowly and for ever.',
  'acknowledge-own-job': 'An acknowledgement removes only rows that its job has claimed, at the revision that it has written.',
  'lock-token': 'Each change of the targets checks the token of the index lock in its transaction.',
  'keep-searched': 'An index that has an alias is not deleted.',
  'fill-next': 'A fill writes only while its index is not searched.',
  'recover-first': 'A command completes or undoes an interrupted swap before it removes an index.',
  'hidden-first': 'The change that hides an item leaves its job, is claimed before all others, and passes the jobs that wait.',
  'keep-hidden': 'The purge removes deleted items, and never hidden ones.',
  'leave-drafts': 'Fills and comparisons leave out what never was public.',
  withhold: 'After a restore of the searched index, lists are refused until hidden and deleted items are out of it.',
  'withheld-first': 'What is hidden or deleted is written to a restored index, and acknowledged, before lists are answered.',
  'notice-generation': 'Noticing the restore of an index raises the generation: a job that wrote before it acknowledges nothing.',
  'unlist-first': 'An index is removed from the targets before it is deleted.',
} as const;

export type Rule = keyof typeof RULES;
