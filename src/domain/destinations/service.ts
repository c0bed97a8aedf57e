/** Manages destinations. Built-in ones represent settings of their form or project. */
import type { KindName } from '../../contract/destination.js';
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import {
  builtInEmail,
  builtInId,
  builtInWebhook,
  type Destination,
  type DestinationState,
  type KindAndConfig,
  ownerOfBuiltIn,
  stateOf,
  unknownHealth,
} from '../../model/destination.js';
import { refuse } from '../../model/errors.js';
import type { Form } from '../../model/form.js';
import type { Project } from '../../model/project.js';
import type { DestinationOwner, StoredDestination } from '../../ports/destinations.js';
import type { Signals } from '../../ports/signals.js';
import type { BoundStore, Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { AddressPolicy } from '../webhooks/address-policy.js';
import {
  filterText,
  kindTitles,
  maxPerOwner,
  requireRepeated,
  requireSchedule,
  requireUsable,
  templateText,
  usualConfig,
} from './rules.js';
import { headersToRepeat, mergedConfig, recordedConfig } from './shown-config.js';

/** A form by its id or public id, a project by its id. */
export interface OwnerName {
  readonly kind: DestinationOwner['kind'];
  readonly id: string;
}

/** Only what changes. `config`, `filter` and `template` are not validated yet. */
export interface DestinationInput {
  readonly name?: string;
  readonly isActive?: boolean;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly filter?: unknown;
  readonly template?: unknown;
  readonly retryDelaysMs?: Destination['retryDelaysMs'];
}

export interface NewDestination extends DestinationInput {
  readonly kind: KindName;
  readonly config: Readonly<Record<string, unknown>>;
}

export interface ShownDestination {
  readonly destination: StoredDestination;
  readonly state: DestinationState;
  readonly waiting: number;
}

export interface DestinationService {
  /** Destinations of the form alone, or of the project alone: built-in ones first, then by age. */
  list(who: Principal, owner: OwnerName): Promise<readonly ShownDestination[]>;
  get(who: Principal, id: string): Promise<ShownDestination>;
  create(who: Principal, owner: OwnerName, input: NewDestination): Promise<ShownDestination>;
  update(who: Principal, id: string, input: DestinationInput): Promise<ShownDestination>;
  delete(who: Principal, id: string): Promise<void>;
}

const mostCounted = 10_000;

const destinationObject = ({ id, name }: Destination) => ({ kind: 'destination', id, name });
/** Without secrets. */
const recorded = (destination: Destination) => ({
  ...destination,
  config: recordedConfig(destination),
});

const ownerOf = (owner: Form | Project): DestinationOwner =>
  'publicId' in owner ? { kind: 'form', formId: owner.id } : { kind: 'project', projectId: owner.id };

/** Visitors may choose addresses of `allowed_cc_emails`, so mails can go there too. */
const mayGetMails = (owner: Form | Project): boolean =>
  owner.notifyEmails.length > 0 || ('allowedCcEmails' in owner && owner.allowedCcEmails.length > 0);

/** The built-in destinations that the owner's settings imply, with what is stored about them. */
function builtInsOf(owner: Form | Project, rows: readonly StoredDestination[]): readonly StoredDestination[] {
  const rowOf = (kind: 'webhook' | 'email') =>
    rows.find(({ id }) => id === builtInId(owner.id, kind)) ?? null;
  const made = [
    builtInWebhook(owner, rowOf('webhook')),
    mayGetMails(owner) ? builtInEmail(owner, rowOf('email')) : null,
  ];
  return made.flatMap((one) =>
    one ? { ...one, health: rows.find(({ id }) => id === one.id)?.health ?? unknownHealth } : [],
  );
}

export function createDestinationService(deps: {
  store: Store;
  clock: Clock;
  signals: Signals;
  addressPolicy: AddressPolicy;
  /** Throws unless the config has the shape of its kind. */
  checkConfig: (kind: KindName, config: unknown) => KindAndConfig;
}): DestinationService {
  const { store, clock, signals, addressPolicy, checkConfig } = deps;

  const getOwner = async (
    from: BoundStore,
    who: Principal,
    { kind, id }: OwnerName,
  ): Promise<Form | Project> => {
    if (kind === 'form') {
      const found = await from.forms.find(who, id);
      if (!found) throw refuse.formNotFound();
      return found.form;
    }
    const project = isUuid(id) ? await from.projects.find(who, id) : null;
    if (!project) throw refuse.projectNotFound();
    return project;
  };

  const findBuiltIn = async (
    from: BoundStore,
    who: Principal,
    id: string,
  ): Promise<StoredDestination | null> => {
    const { ownerId } = ownerOfBuiltIn(id) ?? {};
    if (ownerId === undefined) return null;
    const owner = (await from.forms.find(who, ownerId))?.form ?? (await from.projects.find(who, ownerId));
    const row = await from.destinations.find(who, id);
    return (owner && builtInsOf(owner, row ? [row] : []).find((one) => one.id === id)) ?? null;
  };

  const getFrom = async (from: BoundStore, who: Principal, id: string): Promise<StoredDestination> => {
    const builtIn = isUuid(id) ? await findBuiltIn(from, who, id) : null;
    const row = builtIn || !isUuid(id) ? null : await from.destinations.find(who, id);
    const found = builtIn ?? (row?.builtIn ? null : row);
    if (!found) throw refuse.destinationNotFound();
    return found;
  };

  const shown = async (destinations: readonly StoredDestination[]): Promise<readonly ShownDestination[]> => {
    const ids = destinations.map(({ id }) => id);
    const waiting = await store.destinations.waiting(ids, mostCounted);
    const now = clock.now();
    return destinations.map((destination) => ({
      destination,
      state: stateOf(destination, destination.health, now),
      waiting: waiting.get(destination.id) ?? 0,
    }));
  };

  const shownOne = async (destination: StoredDestination): Promise<ShownDestination> => {
    const [one] = await shown([destination]);
    if (!one) throw new Error('What was given is shown');
    return one;
  };

  const checkedConfig = (kind: KindName, config: unknown): KindAndConfig => {
    const checked = checkConfig(kind, config);
    requireUsable(checked, addressPolicy);
    return checked;
  };

  const settingsOf = (kind: KindName, input: DestinationInput) => {
    if (input.retryDelaysMs) requireSchedule(input.retryDelaysMs);
    return {
      ...(input.name === undefined ? {} : { name: input.name }),
      ...(input.isActive === undefined ? {} : { isActive: input.isActive }),
      ...(input.filter === undefined ? {} : { filter: filterText(input.filter) }),
      ...(input.template === undefined ? {} : { template: templateText(kind, input.template) }),
      ...(input.retryDelaysMs === undefined ? {} : { retryDelaysMs: input.retryDelaysMs }),
    };
  };

  return {
    async list(who, name) {
      const owner = await getOwner(store, who, name);
      const rows = await store.destinations.list(who, ownerOf(owner));
      return shown([...builtInsOf(owner, rows), ...rows.filter(({ builtIn }) => !builtIn)]);
    },

    get: async (who, id) => shownOne(await getFrom(store, who, id)),

    async create(who, name, input) {
      const { kind } = input;
      const settings = {
        name: kindTitles[kind],
        isActive: true,
        filter: null,
        template: null,
        retryDelaysMs: null,
        ...settingsOf(kind, input),
        ...checkedConfig(kind, { ...usualConfig(kind), ...input.config }),
      };
      // One transaction, so that two concurrent requests cannot both take the last place.
      const created = await store.tx(async (tx) => {
        const owner = await getOwner(tx, who, name);
        if ((await tx.destinations.count(who, ownerOf(owner))) >= maxPerOwner)
          throw refuse.tooManyDestinations(maxPerOwner);
        const now = clock.now();
        const made: Destination = {
          ...settings,
          id: newId(now),
          projectId: 'publicId' in owner ? owner.projectId : owner.id,
          formId: 'publicId' in owner ? owner.id : null,
          builtIn: false,
          createdAt: now,
          updatedAt: now,
        };
        await tx.destinations.create(who, made);
        record(tx, who, {
          ...{ action: 'destination.created', object: destinationObject(made) },
          after: recorded(made),
        });
        return made;
      });
      signals.publish({ kind: 'intake-changed' });
      return shownOne({ ...created, health: unknownHealth });
    },

    async update(who, id, input) {
      await store.tx(async (tx) => {
        const found = await getFrom(tx, who, id);
        if (found.builtIn && input.config) throw refuse.builtInDestination();
        requireRepeated(headersToRepeat(found, input.config ?? {}));
        const changed: Destination = {
          ...found,
          ...settingsOf(found.kind, input),
          ...(input.config ? checkedConfig(found.kind, mergedConfig(found, input.config)) : {}),
          updatedAt: clock.now(),
        };
        if (found.builtIn) await tx.destinations.putBuiltIn(who, changed);
        else await tx.destinations.update(who, changed);
        // The new config has not failed yet. One that is disabled keeps the time from which its owner can send what it missed.
        if (found.isActive && JSON.stringify(changed.config) !== JSON.stringify(found.config))
          await tx.destinations.startAfresh(id);
        record(tx, who, {
          ...{ action: 'destination.updated', object: destinationObject(changed) },
          ...{ before: recorded(found), after: recorded(changed) },
        });
      });
      signals.publish({ kind: 'intake-changed' });
      return shownOne(await getFrom(store, who, id));
    },

    async delete(who, id) {
      await store.tx(async (tx) => {
        const found = await getFrom(tx, who, id);
        if (found.builtIn) throw refuse.builtInDestination();
        await tx.destinations.delete(who, id);
        record(tx, who, {
          ...{ action: 'destination.deleted', object: destinationObject(found) },
          before: recorded(found),
        });
      });
      signals.publish({ kind: 'intake-changed' });
    },
  };
}
