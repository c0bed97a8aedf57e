/** A list of short texts (host names, addresses). Enter, comma, space or pasting a list adds entries. */
import { TagsInput, type TagsInputProps } from '@mantine/core';

interface TextListProps
  extends Pick<TagsInputProps, 'label' | 'aria-label' | 'description' | 'placeholder' | 'error'> {
  readonly value?: string[];
  readonly onChange: (value: string[]) => void;
}

export const TextList = ({ value = [], onChange, error, ...rest }: TextListProps) => (
  <TagsInput
    {...rest}
    error={error}
    value={value}
    onChange={(texts) =>
      onChange([...new Set(texts.flatMap((text) => text.split(/[\s,;]+/)).filter((text) => text !== ''))])
    }
    splitChars={[',', ' ', ';', '\n', '\t']}
    acceptValueOnBlur
    clearable={value.length > 3}
    inputMode="text"
    autoCapitalize="off"
    spellCheck={false}
  />
);
