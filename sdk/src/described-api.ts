// What the generated description says of a path: what it takes, and what it gives.
import type { components, paths } from './api-types.ts';

type Schemas = components['schemas'];

/** What the description calls by this name. Extended by an interface, whose name an editor shows; it would not show an alias. */
export type Schema<Name extends keyof Schemas> = Schemas[Name];

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The paths that know this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

type JsonOf<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;

/** What it gives when it succeeds. */
export type AnswerOf<M extends Method, P extends PathOf<M>> = paths[P][M] extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses & (200 | 201 | 202)]>
  : never;

/** The paths that need nothing but their name. */
export type PlainPath = {
  [P in PathOf<'get'>]: paths[P]['get'] extends { parameters: { path: object } } ? never : P;
}[PathOf<'get'>];

/** The paths that give a list. */
export type ListPath = {
  [P in PlainPath]: AnswerOf<'get', P> extends { data: unknown[] } ? P : never;
}[PlainPath];

export type ItemOf<P extends ListPath> = AnswerOf<'get', P> extends { data: (infer Item)[] } ? Item : never;

/** A list of statuses is a text in an address, which does not say of what. */
type StatusIn<P> = P extends '/v1/deposits'
  ? Schemas['Deposit']['status']
  : P extends '/v1/payouts'
    ? Schemas['Payout']['status']
    : never;

/** Everything in an address is text; a program has numbers, instants and lists. */
type Accepted<P, Name, Value> = Name extends 'limit' | 'after'
  ? number
  : Name extends 'status'
    ? [StatusIn<P>] extends [never]
      ? Value
      : StatusIn<P> | readonly StatusIn<P>[]
    : Name extends 'created_after' | 'created_before'
      ? string | Date
      : Value;

type FilterNames<Query> = [Query] extends [never] ? never : Exclude<keyof Query, 'environment'>;

/** Where there is nothing to narrow by, nothing is taken: an empty type would take anything. */
type Filters<P, Query> = [FilterNames<Query>] extends [never]
  ? Record<string, never>
  : { [Name in FilterNames<Query>]?: Accepted<P, Name, Query[Name]> | undefined };

/** What a list can be narrowed by. The environment is the client's: it is the same for every call. */
export type QueryOf<P extends ListPath> = paths[P]['get'] extends { parameters: { query?: infer Query } }
  ? Filters<P, NonNullable<Query>>
  : never;

/** What a request takes besides who asks. */
export type InputOf<M extends Method, P extends PathOf<M>> = (paths[P][M] extends {
  parameters: { path: infer Parameters extends object };
}
  ? { path: Parameters }
  : unknown) &
  (paths[P][M] extends { requestBody: { content: { 'application/json': infer Body } } } ? { body: Body } : unknown);
