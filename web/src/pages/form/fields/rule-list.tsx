/** The rules in form order: one line each, with the observed field; one of them is open for editing. */
import { Badge, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconChevronDown, IconGripVertical } from '@tabler/icons-react';
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef } from 'react';
import { shownCharacters } from '../../../ui/hidden-characters.js';
import { Untrusted } from '../../../ui/untrusted.js';
import type { FieldRule, FormFields } from '../../../wire.js';
import * as words from '../../../words/fields.js';
import { RuleActions, RuleEditor } from './rule-editor.js';
import { titleOf } from './rule-settings.js';
import type { RulesState } from './rules-state.js';
import { useDrag } from './use-drag.js';

type ObservedField = FormFields['data'][number];

interface SummaryProps {
  readonly rule: FieldRule;
  readonly observed: ObservedField | undefined;
}

const Summary = ({ rule, observed }: SummaryProps) => (
  <>
    <span className="rule-title">
      <Text span fw={600}>
        {rule.name === '' && rule.label === undefined ? (
          words.newField
        ) : (
          <Untrusted>{titleOf(rule)}</Untrusted>
        )}
      </Text>
      {rule.label !== undefined && (
        <Text span size="xs" c="dimmed" className="mono">
          <Untrusted>{rule.name}</Untrusted>
        </Text>
      )}
    </span>
    <span className="rule-type">
      {words.typeNames[rule.type]}
      {rule.required === true && <Badge color="gray">{words.required}</Badge>}
    </span>
    <Text span size="xs" c="dimmed" className="rule-seen">
      {observed === undefined ? words.neverSeen : words.seen(observed.kinds, observed.share)}
    </Text>
  </>
);

interface RuleRowProps extends SummaryProps {
  readonly place: number;
  readonly state: RulesState;
  readonly isDragged: boolean;
  readonly drop: 'before' | 'after' | undefined;
  readonly onDrag: (event: PointerEvent) => void;
  readonly onMoveByKey: (by: -1 | 1) => void;
}

function RuleRow({ rule, observed, place, state, isDragged, drop, onDrag, onMoveByKey }: RuleRowProps) {
  const id = useId();
  const isOpen = state.open === place || state.faultOf(place) !== undefined;
  const title = shownCharacters(titleOf(rule)) || words.newField;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null;
    if (by === null) return;
    event.preventDefault();
    onMoveByKey(by);
  };
  return (
    <li className="rule" data-dragged={isDragged} data-drop={drop}>
      <div className="rule-head">
        <UnstyledButton
          className="rule-handle"
          aria-label={words.move(title)}
          title={words.moveHint}
          onPointerDown={onDrag}
          onKeyDown={onKeyDown}
        >
          <IconGripVertical />
        </UnstyledButton>
        <UnstyledButton
          className="rule-toggle"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => state.toggle(place)}
        >
          <VisuallyHidden>{words.edit} </VisuallyHidden>
          <Summary rule={rule} observed={observed} />
          <IconChevronDown className="rule-arrow" />
        </UnstyledButton>
      </div>
      <div id={id} className="rule-body" hidden={!isOpen}>
        {isOpen && (
          <>
            <RuleEditor
              rule={rule}
              onChange={(change) => state.change(place, change)}
              faultOf={(setting) => state.faultOf(place, setting)}
            />
            <RuleActions
              isFirst={place === 0}
              isLast={place === state.rules.length - 1}
              onMove={(by) => state.move(place, place + by)}
              onRemove={() => state.remove(place)}
            />
          </>
        )}
      </div>
    </li>
  );
}

interface RuleListProps {
  readonly state: RulesState;
  readonly observed: readonly ObservedField[];
}

export function RuleList({ state, observed }: RuleListProps) {
  const { list, dragged, begin, dropAt } = useDrag(state.move);
  /** A row moved by keyboard keeps the focus. */
  const followed = useRef<number | null>(null);
  useEffect(() => {
    if (followed.current === null) return;
    list.current?.querySelectorAll<HTMLElement>('.rule-handle')[followed.current]?.focus();
    followed.current = null;
  });
  return (
    <ol className="rules panel" ref={list}>
      {state.rules.map((rule, place) => (
        <RuleRow
          // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are edited, and may be the same
          key={place}
          rule={rule}
          observed={observed.find(({ name }) => name === rule.name)}
          place={place}
          state={state}
          isDragged={dragged === place}
          drop={dropAt(place)}
          onDrag={begin(place)}
          onMoveByKey={(by) => {
            const to = place + by;
            if (to < 0 || to >= state.rules.length) return;
            followed.current = to;
            state.move(place, to);
          }}
        />
      ))}
    </ol>
  );
}
