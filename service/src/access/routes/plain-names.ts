import { invalidRequest } from '../../http/schema/field-problems.ts';
import { isPlainName } from '../plain-name.ts';

/** Names of a body, by their fields: each must be a name and nothing that its readers could follow or call. */
export function requirePlainNames(names: Readonly<Record<string, string | null | undefined>>): void {
  const problems = Object.entries(names)
    .filter(([, name]) => typeof name === 'string' && !isPlainName(name))
    .map(([path]) => ({ path, rule: 'must not contain a web address, an email address or a phone number' }));
  if (problems.length > 0) throw invalidRequest(problems);
}
