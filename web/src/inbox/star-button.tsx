import { IconStar, IconStarFilled } from '@tabler/icons-react';
import * as words from '../words/inbox-actions.js';

interface StarButtonProps {
  readonly isStarred: boolean;
  readonly onChange: (isStarred: boolean) => void;
  readonly className?: string;
}

export const StarButton = ({ isStarred, onChange, className }: StarButtonProps) => (
  <button
    type="button"
    className={`icon-button star ${className ?? ''}`}
    aria-label={words.star}
    aria-pressed={isStarred}
    onClick={() => onChange(!isStarred)}
  >
    {isStarred ? <IconStarFilled size={16} /> : <IconStar size={16} stroke={1.6} />}
  </button>
);
