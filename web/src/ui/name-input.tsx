/** A name editable in place: saved on blur, and restored when saving fails. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';

interface NameInputProps {
  readonly name: string;
  readonly label: string;
  readonly maxLength: number;
  readonly onRename: (name: string) => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
}

export function NameInput({ name, label, maxLength, onRename, onFailure }: NameInputProps) {
  const [text, setText] = useState(name);
  const rename = async () => {
    const wanted = text.trim();
    if (wanted === '' || wanted === name) return setText(name);
    try {
      await onRename(wanted);
    } catch (error) {
      setText(name);
      onFailure(error);
    }
  };
  return (
    <TextInput
      size="xs"
      aria-label={label}
      maxLength={maxLength}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => void rename()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
      }}
      flex={1}
    />
  );
}
