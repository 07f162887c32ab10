import { describedError, errorDetailSchemas, errorExamples } from '../errors/described-error.ts';
import { curlSample } from './curl-sample.ts';
import { isObject, mapValues, objectIn, textIn, type JsonObject } from './json.ts';
import { tagGroups } from './tags.ts';
import { deliverySchema, describeWebhooks } from './webhooks.ts';

// What the framework cannot describe: examples by their names, errors by their codes, and a sample per operation.

const schemaPrefix = '#/components/schemas/';
const isJson = 'application/json';

/** Marks an operation whose body may be left out: the framework describes every body as required. */
export const optionalBody = 'x-optional-body';

/** The example that was added with each named schema, by that name. */
function examplesIn(schemas: JsonObject): JsonObject {
  const found = Object.entries(schemas).flatMap(([name, schema]) => {
    const listed: unknown = isObject(schema) ? schema['examples'] : undefined;
    const value: unknown = Array.isArray(listed) ? listed[0] : undefined;
    return value === undefined ? [] : [[name, { value }] as const];
  });
  return Object.fromEntries(found);
}

function withoutExample(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { examples: _moved, ...rest } = schema;
  return rest;
}

function schemaNameOf(content: unknown): string {
  return textIn(objectIn(objectIn(content, isJson), 'schema'), '$ref').replace(schemaPrefix, '');
}

function referTo(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
}

/** The same content, whose JSON refers to these examples. */
function withExamples(content: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0 || !(isJson in content)) return content;
  return { ...content, [isJson]: { ...objectIn(content, isJson), examples: referTo(names) } };
}

function completeOperation({ [optionalBody]: isOptional, ...operation }: JsonObject, examples: JsonObject): JsonObject {
  const codes = objectIn(operation, 'x-error-codes');
  const namesFor = (content: unknown): string[] => [schemaNameOf(content)].filter((name) => name in examples);
  const responses = mapValues(objectIn(operation, 'responses'), (response, status) => {
    if (!isObject(response)) return response;
    const content = objectIn(response, 'content');
    const ofStatus: unknown = codes[status];
    const names = Array.isArray(ofStatus) ? ofStatus.map(String) : namesFor(content);
    return { ...response, content: withExamples(content, names) };
  });
  if (!isObject(operation['requestBody'])) return { ...operation, responses };
  const { requestBody } = operation;
  const content = objectIn(requestBody, 'content');
  return {
    ...operation,
    requestBody: {
      ...requestBody,
      ...(isOptional === true ? { required: false } : {}),
      content: withExamples(content, namesFor(content)),
    },
    responses,
  };
}

/** The whole document, from what the framework made of the routes. */
export function completeDescription(document: JsonObject, server: string): JsonObject {
  const components = objectIn(document, 'components');
  const schemas = objectIn(components, 'schemas');
  const examples = examplesIn(schemas);
  const paths = mapValues(objectIn(document, 'paths'), (item, path) =>
    mapValues(isObject(item) ? item : {}, (described, method) => {
      const operation = completeOperation(isObject(described) ? described : {}, examples);
      const bodyName = schemaNameOf(objectIn(objectIn(operation, 'requestBody'), 'content'));
      const body: unknown = bodyName === '' ? undefined : objectIn(examples, bodyName)['value'];
      const source = curlSample(server, { method: method.toUpperCase(), path, operation, body });
      return { ...operation, 'x-codeSamples': [{ lang: 'Shell', label: 'curl', source }] };
    }),
  );
  return {
    ...document,
    'x-tagGroups': tagGroups,
    components: {
      ...components,
      schemas: {
        ...mapValues(schemas, withoutExample),
        ...errorDetailSchemas,
        Error: describedError,
        WebhookDelivery: deliverySchema,
      },
      examples: { ...examples, ...errorExamples },
    },
    paths,
    webhooks: describeWebhooks(schemas, examples),
  };
}
