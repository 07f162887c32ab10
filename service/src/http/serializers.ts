import buildSerializers, { type SerializerFactory } from '@fastify/fast-json-stringify-compiler';

type Serializer = ReturnType<ReturnType<SerializerFactory>>;
type Schemas = Readonly<Record<string, unknown>>;

const referencePattern = /"\$ref":"([^"#]+)/g;

/** The shared schemas that this one names, and those that they name in turn. */
function schemasBehind(schema: unknown, shared: Schemas, found: Record<string, unknown> = {}): Schemas {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(referencePattern)) {
    if (name in found) continue;
    found[name] = shared[name];
    schemasBehind(shared[name], shared, found);
  }
  return found;
}

/** What decides how an answer is written: of one that names a shared schema, its name; what stands beside it is for readers. */
function shapeOf(schema: unknown): string {
  const named: unknown = typeof schema === 'object' && schema !== null ? Reflect.get(schema, '$ref') : undefined;
  return typeof named === 'string' ? named : JSON.stringify(schema);
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
