import type { Environment, WebAnswer, WebApi, WebFile, WebQueryName, WebRouteKey, WebStream } from "@pestle/contract";

/*
 * Finds the row of the contract's table of routes for an address. The compiler compares the address with each path of
 * the table, segment by segment; a segment such as `{order_number}` takes any text. So an address has to be a literal
 * or a template of literals: a plain `string` fits no path.
 */

export type Method = WebRouteKey extends `${infer Method} ${string}` ? Method : never;

type Segments<Path> = Path extends `${infer First}/${infer Rest}` ? [First, ...Segments<Rest>] : [Path];

type Fits<Given, Known> = [Given, Known] extends [[infer G, ...infer Gs], [infer K, ...infer Ks]]
  ? K extends `{${string}}`
    ? Fits<Gs, Ks>
    : [G] extends [K]
      ? Fits<Gs, Ks>
      : false
  : [Given, Known] extends [[], []]
    ? true
    : false;

type PathIn<Address> = Address extends `${infer Path}?${string}` ? Path : Address;
type QueryIn<Address> = Address extends `${string}?${infer Query}` ? Query : "";

type Row<M extends Method, Given> = {
  [Key in WebRouteKey]: Key extends `${M} ${infer Path}`
    ? Fits<Given, Segments<Path>> extends true
      ? Key
      : never
    : never;
}[WebRouteKey];

/** The key of the table's row for an address; `never` where there is none, or where it does not take a name of the query. */
export type RouteOf<M extends Method, Address extends string> = Address extends string
  ? TakesQuery<Row<M, Segments<PathIn<Address>>>, QueryIn<Address>>
  : never;

/** Names are checked where the template spells them; `?${search}` may hold any. */
type TakesQuery<Key extends WebRouteKey, Query> = Query extends `${infer First}&${infer Rest}`
  ? TakesQuery<TakesPair<Key, First>, Rest>
  : TakesPair<Key, Query>;
type TakesPair<Key extends WebRouteKey, Pair> = Key extends WebRouteKey
  ? Pair extends `${infer Name}=${string}`
    ? Name extends WebQueryName<Key>
      ? Key
      : never
    : Key
  : never;

type Json<Key> = Key extends WebRouteKey ? (WebAnswer<Key> extends WebFile | WebStream<unknown> ? never : Key) : never;
type File<Key> = Key extends WebRouteKey ? (WebAnswer<Key> extends WebFile ? Key : never) : never;
type Stream<Key> = Key extends WebRouteKey ? (WebAnswer<Key> extends WebStream<unknown> ? Key : never) : never;

/** The routes that an address names, by what they answer with. */
export type JsonRoute<M extends Method, Address extends string> = Json<RouteOf<M, Address>>;
export type FileRoute<Address extends string> = File<RouteOf<"GET", Address>>;
export type StreamRoute<Address extends string> = Stream<RouteOf<"GET", Address>>;

/** The address itself where the table has such a route. Otherwise no address fits, and the compiler says why. */
export type Known<Route, Address extends string> = [Route] extends [never]
  ? "The contract has no such path, or its query takes no such name"
  : Address;

/** What a read answers. */
export type Read<Address extends string> = WebAnswer<JsonRoute<"GET", Address>>;
/** The events of a stream. */
export type Events<Address extends string> =
  WebApi[StreamRoute<Address>]["answer"] extends WebStream<infer E> ? E : never;

/** What the addresses of reads begin with: whole segments, then perhaps the query. */
export type ReadPrefix = Filled<Beginning<ReadPath>> | `${Filled<ReadPath>}?`;
type ReadPath = WebRouteKey extends infer Key ? (Key extends `GET ${infer Path}` ? Path : never) : never;
type Beginning<Path, Before extends string = ""> = Path extends `/${infer First}/${infer Rest}`
  ? `${Before}/${First}` | Beginning<`/${Rest}`, `${Before}/${First}`>
  : `${Before}${Path & string}`;
type Filled<Path extends string> = Path extends `${infer Head}{${infer Name}}${infer Tail}`
  ? `${Head}${Name extends "environment" ? Environment : string}${Filled<Tail>}`
  : Path;
