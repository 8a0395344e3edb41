const WITHOUT_BLANKS = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu;
const WORDS = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * Separates the words of Thai, Lao, Khmer and Burmese, which are written without blanks, by the dictionaries of ICU.
 * The standard tokenizer of Elasticsearch would make one term of a whole sentence. Chinese and Japanese need no
 * dictionary: each of their characters is a term, and a word is searched as a phrase.
 */
export function separateWords(text: string): string {
  return text.replace(WITHOUT_BLANKS, (run) => splitWords(run).join(' '));
}

// Text that is not in the dictionary may be split differently without its neighbours, so each part is split again.
function splitWords(run: string): string[] {
  const parts = Array.from(WORDS.segment(run), ({ segment }) => segment);
  return parts.length === 1 ? parts : parts.flatMap(splitWords);
}
