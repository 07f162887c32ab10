import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

// What is missing or wrong in a description of the API, for somebody who reads it.

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((around, name) => (isObject(around) ? around[name] : undefined), value);
}

function objectAt(value: unknown, ...path: string[]): Json {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const nameIn = (ref: unknown): string => String(ref).split('/').at(-1) ?? '';

const verbs =
  /^(Create|Retrieve|List|Update|Cancel|Freeze|Revoke|Roll|Remove|Invite|Send|Sign in|Export|End|Switch|Start|Download|Delete|Redeliver|Test|Advance|Hold|Fail|Return|Add|Set|Approve|Decline|Lift|Confirm) ?[a-zA-Z]/;

function createChecker(document: unknown): (schema: unknown, value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'api', components: at(document, 'components') });
  // Hundreds of responses have one of a few schemas, and to compile one takes longer than all the rest.
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
    const local: unknown = JSON.parse(text);
    const validate = compiled.get(text) ?? ajv.compile(isObject(local) ? local : {});
    compiled.set(text, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

/** The examples of a media type, or of a parameter, by their values. */
function examplesOf(document: unknown, shown: unknown): unknown[] {
  const single = at(shown, 'example');
  const named = Object.values(objectAt(shown, 'examples')).map((example) => {
    const ref = at(example, '$ref');
    return ref === undefined ? at(example, 'value') : at(document, 'components', 'examples', nameIn(ref), 'value');
  });
  return single === undefined ? named : [single, ...named];
}

/** The problem, unless all is well. */
const unless = (isWell: boolean, problem: string): string[] => (isWell ? [] : [problem]);

/** Every property says what it is, and some example shows it. */
function propertyProblems(name: string, schema: unknown, examples: readonly unknown[]): string[] {
  return Object.entries(objectAt(schema, 'properties')).flatMap(([field, property]) => {
    const path = `${name}.${field}`;
    if (at(property, '$ref') !== undefined) return [];
    const shown = examples.map((example) => at(example, field));
    const values = shown
      .concat(listOf(at(property, 'examples')), at(property, 'const'))
      .filter((value) => value !== undefined);
    return [
      unless(isText(at(property, 'description')), `${path} has no description`),
      unless(values.length > 0, `${path} has no example`),
      propertyProblems(path, property, values),
      propertyProblems(`${path}[]`, at(property, 'items'), values.flatMap(listOf)),
    ].flat();
  });
}

/** What the errors' examples show of each kind of details. */
function detailsShown(document: unknown): Map<string, unknown[]> {
  const shown = new Map<string, unknown[]>();
  const variants = listOf(at(document, 'components', 'schemas', 'Error', 'properties', 'error', 'oneOf'));
  for (const variant of variants) {
    const ref = at(variant, 'properties', 'details', '$ref');
    const codes = listOf(at(variant, 'properties', 'code', 'enum')).map(String);
    const values = codes.map((code) => at(document, 'components', 'examples', code, 'value', 'error', 'details'));
    if (ref !== undefined) shown.set(nameIn(ref), values);
  }
  return shown;
}

function schemaProblems(document: unknown): string[] {
  const details = detailsShown(document);
  return Object.entries(objectAt(document, 'components', 'schemas')).flatMap(([name, schema]) => {
    const own = at(document, 'components', 'examples', name, 'value');
    const codes = listOf(at(schema, 'properties', 'error', 'properties', 'code', 'enum')).map(String);
    const errors = codes.map((code) => at(document, 'components', 'examples', code, 'value'));
    const examples = [own].concat(errors, details.get(name) ?? []).filter((value) => value !== undefined);
    return [
      unless(isText(at(schema, 'description')), `${name} has no description`),
      codes.filter((_code, place) => errors[place] === undefined).map((code) => `error ${code} has no example`),
      propertyProblems(name, schema, examples),
    ].flat();
  });
}

type Check = ReturnType<typeof createChecker>;

/** A media type, a parameter: has it an example, and is it right? */
function exampleProblems(document: unknown, check: Check, where: string, shown: unknown): string[] {
  // A file has no example that could be shown.
  if (at(shown, 'schema', 'format') === 'binary') return [];
  const examples = examplesOf(document, shown);
  if (examples.length === 0 || examples.includes(undefined)) return [`${where} has no example`];
  return examples.flatMap((example) => {
    const wrong = check(at(shown, 'schema'), example);
    return wrong === undefined ? [] : [`${where}: an example is invalid: ${wrong}`];
  });
}

function operationProblems(document: unknown, check: Check, operation: unknown): string[] {
  const id = String(at(operation, 'operationId'));
  const contentProblems = (where: string, content: Json): string[] =>
    Object.entries(content).flatMap(([type, media]) => exampleProblems(document, check, `${where} ${type}`, media));
  const tags = new Set(listOf(at(document, 'tags')).map((tag) => at(tag, 'name')));
  const parameters = listOf(at(operation, 'parameters')).flatMap((parameter) => {
    const where = `${id} ${String(at(parameter, 'name'))}`;
    const described = unless(isText(at(parameter, 'description')), `${where} has no description`);
    return described.concat(exampleProblems(document, check, where, parameter));
  });
  const responses = Object.entries(objectAt(operation, 'responses')).flatMap(([status, response]) => {
    const description = at(response, 'description');
    const isDescribed = isText(description) && description !== 'Default Response';
    const where = `${id} ${status}`;
    return unless(isDescribed, `${where} has no description`).concat(
      contentProblems(where, objectAt(response, 'content')),
    );
  });
  return [
    unless(verbs.test(String(at(operation, 'summary'))), `${id}: its summary is not a verb and a resource`),
    unless(isText(at(operation, 'description')), `${id} has no description`),
    unless(
      listOf(at(operation, 'tags')).every((tag) => tags.has(tag)),
      `${id} is in no group`,
    ),
    unless(listOf(at(operation, 'x-codeSamples')).length > 0, `${id} has no sample`),
    parameters,
    contentProblems(`${id} body`, objectAt(operation, 'requestBody', 'content')),
    responses,
  ].flat();
}

/** All that a reader would miss. */
export function referenceProblems(document: unknown): string[] {
  const check = createChecker(document);
  const operations = Object.values(objectAt(document, 'paths')).flatMap((item) =>
    Object.values(objectAt({ item }, 'item')),
  );
  return [
    ...(listOf(at(document, 'servers')).length > 0 ? [] : ['there is no server']),
    ...operations.flatMap((operation) => operationProblems(document, check, operation)),
    ...schemaProblems(document),
  ];
}
