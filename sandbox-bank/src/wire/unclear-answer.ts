/** In an answer that the caller does not get before this instant, also where it repeats its request. */
export const unclearUntil = 'unclear_until';

/** Whether the caller gets an answer that says nothing. Most answers are not parsed for it. */
export function isUnclear(text: string, at: Date): boolean {
  if (!text.includes(unclearUntil)) return false;
  const answer: unknown = JSON.parse(text);
  const until: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, unclearUntil) : undefined;
  return typeof until === 'string' && new Date(until) > at;
}
