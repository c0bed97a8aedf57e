/** A thumbnail of a file, or an icon of its type when there is no picture. */
import { Center } from '@mantine/core';
import {
  IconFile,
  IconFileText,
  IconFileZip,
  IconMusic,
  IconPhoto,
  IconVideo,
  type TablerIcon,
} from '@tabler/icons-react';
import { useState } from 'react';
import { apiUrl } from '../api.js';
import { useAccount } from '../queries.js';
import type { SubmissionFile } from '../wire.js';
import { isPicture } from './picture.js';

const kinds: readonly (readonly [shape: RegExp, icon: TablerIcon])[] = [
  [/^image\//, IconPhoto],
  [/^video\//, IconVideo],
  [/^audio\//, IconMusic],
  [/pdf|^text\/|word|document|sheet|presentation/, IconFileText],
  [/zip|compressed|tar|gzip/, IconFileZip],
];

interface ThumbnailProps {
  readonly file: SubmissionFile;
  readonly width: number | '100%';
  readonly height: number;
  /** The size of the requested picture, in pixels. */
  readonly ask: { readonly w: number; readonly h: number };
}

export function Thumbnail({ file, width, height, ask }: ThumbnailProps) {
  const account = useAccount();
  const [hasFailed, setFailed] = useState(false);
  const Icon = kinds.find(([shape]) => shape.test(file.type))?.[1] ?? IconFile;
  const isShown = isPicture(file) && account.data?.limits.image_transformation === true && !hasFailed;
  return (
    <Center w={width} h={height} className="thumbnail" style={{ flex: 'none' }}>
      {isShown ? (
        <img
          src={apiUrl(`/files/${file.id}/download`, { ...ask, fit: 'cover', f: 'webp' })}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setFailed(true)}
        />
      ) : (
        <Icon size={Math.min(24, height * 0.55)} />
      )}
    </Center>
  );
}
