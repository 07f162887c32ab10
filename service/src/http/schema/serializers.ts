import buildSerializers, { type SerializerFactory } from '@fastify/fast-json-stringify-compiler';
import { describedAs } from './described-as.ts';

type Serializer = ReturnType<ReturnType<SerializerFactory>>;
type Schemas = Readonly<Record<string, unknown>>;

/** Beside the schema of an answer, and no part of it. */
const saidForReaders = new Set(['description', 'headers', 'x-codes', describedAs]);
const referencePattern = /"\$ref":"([^"#]+)/g;

/** The shared schemas that this one names, and those that they name in turn. */
function schemasBehind(schema: unknown, shared: Schemas, found: Record<string, unknown> = {}): Schemas {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(referencePattern)) {
    if (name in found) continue;
    if (!(name in shared)) throw new Error(`there is no shared schema ${name}`);
    found[name] = shared[name];
    schemasBehind(shared[name], shared, found);
  }
  return found;
}

/** What decides how an answer is written: not what is said of it for readers. */
function shapeOf(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return JSON.stringify(schema);
  return JSON.stringify(Object.entries(schema).filter(([name]) => !saidForReaders.has(name)));
}

function areSchemas(schemas: unknown): schemas is Schemas {
  return typeof schemas === 'object' && schemas !== null;
}

/**
 * One serializer for all answers of the same shape, built from the schemas that it needs. Routes share their refusals, and the
 * compiler reads whatever it is given: one serializer for each route and status, each from all schemas, took most of the time
 * in which a process starts.
 */
export const oneSerializerAShape: SerializerFactory = (sharedSchemas, options) => {
  const shared = areSchemas(sharedSchemas) ? sharedSchemas : {};
  const built = new Map<string, Serializer>();
  return (answer) => {
    const shape = shapeOf(answer.schema);
    const serializer = built.get(shape) ?? buildSerializers()(schemasBehind(answer.schema, shared), options)(answer);
    built.set(shape, serializer);
    return serializer;
  };
};
