/** Converts bodies in which every field is optional to settings of the domain. */

type FieldOf<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<FieldOf<Rest>>}`
  : Name;

/** Every setting of the body under its name in the model (`store_ip` is `storeIp`). The compiler reports what is missing on either side. */
export type Sent<Body, Settings> = {
  readonly [Name in keyof Body & string as FieldOf<Name>]-?: FieldOf<Name> extends keyof Settings
    ? Settings[FieldOf<Name>] | undefined
    : 'the model has no such setting';
};

/** Sets only what was sent. */
export const sentOnly = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
