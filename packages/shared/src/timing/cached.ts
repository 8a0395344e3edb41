/** However many ask, the question is put once in a while: all who ask within `keptMs` share an answer. */
export function cached<T>(keptMs: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (!answer || performance.now() - askedAt > keptMs) {
      askedAt = performance.now();
      answer = ask();
    }
    return answer;
  };
}
