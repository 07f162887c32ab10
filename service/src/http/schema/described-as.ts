/** A keyword of ours: how a parameter or an answer is described, where that is not how it is checked or written. False leaves it out. */
export const describedAs = 'x-described-as';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parameters of a route as the description shall have them. */
export function describeParameters(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema['properties'])) return schema;
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'].slice() : [];
  const shown = Object.entries(schema['properties']).filter(
    ([, property]) => !isObject(property) || property[describedAs] !== false,
  );
  const properties = shown.map(([name, property]): [string, unknown] => {
    if (!isObject(property) || !isObject(property[describedAs])) return [name, property];
    const { required: isRequired, name: shownName, ...described } = property[describedAs];
    const named = typeof shownName === 'string' ? shownName : name;
    if (isRequired === true) required.push(named);
    return [named, { ...described, description: property['description'] }];
  });
  return { ...schema, properties: Object.fromEntries(properties), required };
}

/** The answers of a route as the description shall have them. */
export function describeAnswers(response: unknown): unknown {
  if (!isObject(response)) return response;
  const described = Object.entries(response).map(([status, answer]): [string, unknown] => {
    if (!isObject(answer) || !isObject(answer[describedAs])) return [status, answer];
    const { headers } = answer;
    return [status, { ...answer[describedAs], ...(headers === undefined ? {} : { headers }) }];
  });
  return Object.fromEntries(described);
}
