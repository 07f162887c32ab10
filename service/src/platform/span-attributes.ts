/** A name of ours, such as that of a function in the database. */
const word = /^[a-z][a-z0-9_.]{0,59}$/;

/**
 * The only attributes that a span may carry, each with the form of its values. A value of another form is withheld, so a
 * bank detail, a name or an address with a secret in it can't reach a trace.
 */
const forms = {
  'db.query.summary': word,
  'db.system.name': word,
  'error.type': /^[A-Za-z0-9_]{1,60}$/,
  'http.request.method': /^[A-Z]{1,20}$/,
  'http.response.status_code': 'number',
  // As the code has it, with names in place of values.
  'http.route': /^(\/|(\/(:?[A-Za-z_.-]+\d?|\*))+)$/,
  'kelpie.bank.operation': word,
  'kelpie.bank.outcome': word,
  'kelpie.environment': word,
  'kelpie.event.type': word,
  'kelpie.webhook.attempt': 'number',
  'kelpie.webhook.outcome': word,
} as const satisfies Record<string, RegExp | 'number'>;

type AttributeName = keyof typeof forms;

export type SpanAttributes = Readonly<Partial<Record<AttributeName, string | number>>>;

const formOf: ReadonlyMap<string, RegExp | 'number'> = new Map(Object.entries(forms));

function isOfForm(form: RegExp | 'number', value: unknown): value is string | number {
  return form === 'number' ? typeof value === 'number' : typeof value === 'string' && form.test(value);
}

/** What may leave of what is given. */
export function allowedAttributes(given: SpanAttributes): Record<string, string | number> {
  const kept: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(given)) {
    const form = formOf.get(name);
    if (form !== undefined && value !== undefined) kept[name] = isOfForm(form, value) ? value : 'withheld';
  }
  return kept;
}
