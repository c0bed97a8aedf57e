/**
 * Decides which submissions a destination receives: the match syntax of Hookdeck Outpost's destination filters, compiled
 * once and tested against each webhook payload. docs/guides/destinations/filters.md describes it.
 *
 * Owners write filters and visitors write payloads, so both are bounded: a test does a limited amount of
 * work, recurses only as deep as the filter, and reads own properties only.
 */
export interface Filter {
  readonly test: Test;
}

export interface FilterProblem {
  /** Like `data.amount.$gt` or `$or[1].data`; empty for the filter itself. */
  readonly path: string;
  readonly message: string;
}

type Test = (value: unknown, work: Work) => boolean;

/** The work that one payload may still cause, in tests of a value. */
export interface Work {
  left: number;
}

type Scalar = string | number | boolean | null;

/** A place in the filter, and whether it describes a field's value rather than the payload. */
interface Place {
  readonly path: string;
  readonly depth: number;
  readonly isInField: boolean;
}

const maxJsonChars = 16 * 1024;
const maxDepth = 10;
const maxConditions = 200;
/** V8 searches in linear time for texts of up to 250 characters. */
const maxTextChars = 250;
/**
 * After this many tests, over all filters of a submission, no more list elements and long texts are examined. One filter
 * with 90 texts to search for in a mebibyte took 2.5 s on a busy machine, and a form has up to 200 filters.
 */
const maxWork = 100_000;
/** Guaranteed to each filter: a large submission must not change how the last of many filters judges short fields. */
const minWork = 250;
/** Characters that are searched in about the time of one test. */
const charsPerTest = 32;

export function parseFilter(json: unknown): { readonly filter: Filter } | FilterProblem {
  const compiler = new Compiler();
  const test = compiler.conditions(json, { path: '', depth: 1, isInField: false });
  if (compiler.problem !== undefined) return compiler.problem;
  // Only after the depth check, because JSON.stringify recurses.
  if (JSON.stringify(json).length > maxJsonChars)
    return { path: '', message: `must not be longer than ${maxJsonChars} characters as JSON` };
  return { filter: { test } };
}

/** Passes what passes both. */
export const bothOf = (one: Filter | null, other: Filter | null): Filter | null =>
  one && other
    ? { test: (payload, work) => one.test(payload, work) && other.test(payload, work) }
    : (one ?? other);

/** Shared by all filters that one submission is tested against. */
export const newWork = (): Work => ({ left: maxWork });

export function matches(filter: Filter, payload: unknown, shared: Work = newWork()): boolean {
  const given = Math.max(shared.left, minWork);
  const work = { left: given };
  const isMatch = filter.test(payload, work);
  shared.left -= given - work.left;
  return isMatch;
}

class Compiler {
  problem: FilterProblem | undefined;
  private count = 0;

  conditions(json: unknown, place: Place): Test {
    if (!this.isWithinBounds(place)) return never;
    if (isObject(json)) return this.object(json, place);
    if (!place.isInField) return this.fail(place.path, 'must be an object');
    if (Array.isArray(json)) {
      const wanted = this.list(json, place);
      return (value, work) =>
        Array.isArray(value) && wanted.every((test) => someWithin(work, value, (item) => test(item, work)));
    }
    if (!isScalar(json)) return this.fail(place.path, 'must be JSON');
    if (isTooLong(json)) return this.fail(place.path, tooLong);
    return orAnyElement((value) => value === json);
  }

  private object(json: Record<string, unknown>, place: Place): Test {
    const ofValue: Test[] = [];
    const ofElement: Test[] = [];
    const fields: [name: string, test: Test, isMatchedByNone: boolean][] = [];
    for (const [key, content] of Object.entries(json)) {
      const path = place.path === '' ? key : `${place.path}.${key}`;
      const below = { path, depth: place.depth + 1, isInField: place.isInField };
      if (key === '$not') {
        const test = this.conditions(content, below);
        ofValue.push((value, work) => !test(value, work));
      } else if (key === '$and' || key === '$or') {
        const tests = this.branches(content, below);
        ofElement.push(
          key === '$and'
            ? (value, work) => tests.every((test) => test(value, work))
            : (value, work) => tests.some((test) => test(value, work)),
        );
      } else if (key.startsWith('$')) {
        ofValue.push(this.operator(key, content, below));
      } else if (isTooLong(key)) {
        this.fail(place.path, `a field name must not be longer than ${maxTextChars} characters`);
      } else {
        const test = this.conditions(content, { ...below, isInField: true });
        fields.push([key, test, isObject(content) && own(content, '$exist') === false]);
      }
      if (this.problem !== undefined) return never;
    }
    const [field] = fields;
    // Outpost would ignore the fields here and let through what the filter seems to exclude.
    if (field !== undefined && Object.keys(json).some((key) => operators.has(key)))
      return this.fail(place.path, `operators and field names (${field[0]}) cannot be combined here`);
    const isEmpty = ofValue.length + ofElement.length + fields.length === 0;
    if (isEmpty && !place.isInField) return () => true;
    if (fields.length > 0 || isEmpty)
      ofElement.push(
        (value, work) =>
          isObject(value) &&
          fields.every(([name, test, isMatchedByNone]) =>
            Object.hasOwn(value, name) ? test(value[name], work) : isMatchedByNone,
          ),
      );
    if (ofElement.length > 0)
      ofValue.push(orAnyElement((value, work) => ofElement.every((test) => test(value, work))));
    return (value, work) => {
      work.left -= 1;
      return ofValue.every((test) => test(value, work));
    };
  }

  private branches(json: unknown, place: Place): readonly Test[] {
    if (Array.isArray(json) && json.length > 0) return this.list(json, place);
    this.fail(place.path, 'must be a list of conditions');
    return [];
  }

  private list(json: readonly unknown[], { path, depth, isInField }: Place): readonly Test[] {
    const tests: Test[] = [];
    for (const [index, item] of json.entries()) {
      tests.push(this.conditions(item, { path: `${path}[${index}]`, depth: depth + 1, isInField }));
      if (this.problem !== undefined) break;
    }
    return tests;
  }

  private operator(name: string, operand: unknown, place: Place): Test {
    const operator = operators.get(name);
    if (operator === undefined) return this.fail(place.path, unsupported[name] ?? 'is not a known operator');
    if (!place.isInField)
      return this.fail(place.path, `needs a field around it, like {"field": {"${name}": …}}`);
    // The items of $in are looked up in one step, and their number is bounded by the filter's size.
    const isOneCondition = name === '$in' || name === '$nin';
    if (!this.isPlain(operand, place, isOneCondition)) return never;
    const test = operator.compile(operand);
    return test ?? this.fail(place.path, operator.expects);
  }

  /** Whether an operand is within the bounds, as a value that is compared and not interpreted. */
  private isPlain(json: unknown, place: Place, isOneCondition = false): boolean {
    if (!this.isWithinBounds(place)) return false;
    if (typeof json === 'string' && isTooLong(json)) this.fail(place.path, tooLong);
    const { path, depth } = place;
    if (Array.isArray(json) || isObject(json))
      for (const [key, item] of Object.entries(json)) {
        const at = { ...place, path: Array.isArray(json) ? `${path}[${key}]` : `${path}.${key}` };
        if (key === '$ref') this.fail(at.path, noReferences);
        else if (isOneCondition && isScalar(item)) {
          if (isTooLong(item)) this.fail(at.path, tooLong);
        } else this.isPlain(item, { ...at, depth: depth + 1 });
        if (this.problem !== undefined) return false;
      }
    return this.problem === undefined;
  }

  private isWithinBounds({ path, depth }: Place): boolean {
    this.count += 1;
    if (depth > maxDepth) this.fail(path, `must not be nested more than ${maxDepth} levels deep`);
    else if (this.count > maxConditions)
      this.fail(path, `the filter has more than ${maxConditions} conditions`);
    return this.problem === undefined;
  }

  private fail(path: string, message: string): Test {
    this.problem ??= { path, message };
    return never;
  }
}

const tooLong = `must not be longer than ${maxTextChars} characters`;
const noReferences = 'references to other fields are not supported';
const unsupported: Record<string, string> = {
  $regex: 'regular expressions are not supported',
  $ref: noReferences,
};
const never: Test = () => false;

interface Operator {
  readonly expects: string;
  /** Returns undefined for an operand of the wrong type. $gt, $startsWith and the like never match a value of another type. */
  readonly compile: (operand: unknown) => Test | undefined;
}

const ordered = (isRight: (order: number) => boolean): Operator => ({
  expects: 'must be a number or text',
  compile: (operand) => {
    if (typeof operand === 'number')
      return (value) => typeof value === 'number' && isRight(Math.sign(value - operand));
    if (typeof operand === 'string')
      return (value) =>
        typeof value === 'string' && isRight(value === operand ? 0 : value < operand ? -1 : 1);
    return undefined;
  },
});

/** A value that the operator does not apply to matches neither $in nor $nin. */
const membership = (isWanted: boolean): Operator => ({
  expects: 'must be text, a number, true, false, null, or a list of these',
  compile: (operand) => {
    if (Array.isArray(operand)) {
      if (!operand.every(isScalar)) return undefined;
      const items = new Set<unknown>(operand);
      return (value) => isScalar(value) && items.has(value) === isWanted;
    }
    if (!isScalar(operand)) return undefined;
    return (value, work) => {
      if (Array.isArray(value)) return someWithin(work, value, (item) => item === operand) === isWanted;
      if (typeof value !== 'string' || typeof operand !== 'string') return false;
      const cost = value.length / charsPerTest;
      // Short texts are always searched: a filter has few conditions.
      if (cost > charsPerTest && work.left < cost) return false;
      work.left -= cost;
      return value.includes(operand) === isWanted;
    };
  },
});

/** The cost depends only on the operand: an object from a visitor has at most 1,000 members. */
function equality(operand: unknown, isWanted: boolean): Test {
  const cost = isScalar(operand) ? 1 : 20 + JSON.stringify(operand).length / 8;
  return (value, work) => {
    work.left -= cost;
    return isEqual(value, operand) === isWanted;
  };
}

const affix = (has: (value: string, affix: string) => boolean): Operator => ({
  expects: 'must be text or a list of texts',
  compile: (operand) => {
    const texts: unknown[] = Array.isArray(operand) ? operand : [operand];
    if (!texts.every((text) => typeof text === 'string')) return undefined;
    return (value, work) => {
      work.left -= texts.length;
      return typeof value === 'string' && texts.some((text) => has(value, text));
    };
  },
});

const operators: ReadonlyMap<string, Operator> = new Map([
  ['$eq', { expects: '', compile: (operand) => equality(operand, true) }],
  ['$neq', { expects: '', compile: (operand) => equality(operand, false) }],
  ['$gt', ordered((order) => order > 0)],
  ['$gte', ordered((order) => order >= 0)],
  ['$lt', ordered((order) => order < 0)],
  ['$lte', ordered((order) => order <= 0)],
  ['$in', membership(true)],
  ['$nin', membership(false)],
  ['$startsWith', affix((value, start) => value.startsWith(start))],
  ['$endsWith', affix((value, end) => value.endsWith(end))],
  [
    '$exist',
    {
      expects: 'must be true or false',
      // Runs only when there is a value: a missing field is never tested.
      compile: (operand) => (typeof operand === 'boolean' ? () => operand : undefined),
    },
  ],
]);

/** Tests a value, or the elements of a list, however deeply nested. No recursion, because a visitor controls the depth. */
function orAnyElement(test: Test): Test {
  return (value, work) => {
    work.left -= 1;
    if (!Array.isArray(value)) return test(value, work);
    const lists: unknown[][] = [value];
    const isMatch = (item: unknown): boolean => {
      if (!Array.isArray(item)) return test(item, work);
      lists.push(item);
      return false;
    };
    for (let list = lists.pop(); list !== undefined; list = lists.pop())
      if (someWithin(work, list, isMatch)) return true;
    return false;
  };
}

/** Once the work is used up, the remaining elements match nothing. */
function someWithin(work: Work, list: readonly unknown[], isMatch: (item: unknown) => boolean): boolean {
  for (const item of list) {
    if (work.left <= 0) return false;
    work.left -= 1;
    if (isMatch(item)) return true;
  }
  return false;
}

/** Recurses as deep as the operand, which is bounded. */
function isEqual(value: unknown, operand: unknown): boolean {
  if (Array.isArray(operand))
    return (
      Array.isArray(value) &&
      value.length === operand.length &&
      operand.every((item, index) => isEqual(value[index], item))
    );
  if (!isObject(operand)) return value === operand;
  if (!isObject(value)) return false;
  const names = Object.keys(operand);
  return (
    Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name) && isEqual(value[name], operand[name]))
  );
}

const own = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
const isTooLong = (value: Scalar): boolean => typeof value === 'string' && value.length > maxTextChars;
