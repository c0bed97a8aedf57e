/** Bodies in which every field is optional, as the domain takes them. */

type FieldOf<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<FieldOf<Rest>>}`
  : Name;

/** Every setting of the body by its name in the model (`store_ip` is `storeIp`): the compiler names what is missing in either. */
export type Sent<Body, Settings> = {
  readonly [Name in keyof Body & string as FieldOf<Name>]-?: FieldOf<Name> extends keyof Settings
    ? Settings[FieldOf<Name>] | undefined
    : 'the model has no such setting';
};

/** Only what was sent is set. */
export const sentOnly = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
