/** Explains the quarantine, and where other spam is. */
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import * as words from '../../words/quarantine.js';

/** `spamPath`: the list whose spam folder is linked. */
export const AboutQuarantine = ({ spamPath }: { readonly spamPath: string }) => (
  <Text size="sm" c="dimmed">
    {words.pageDescription(
      <Anchor component={Link} href={`${spamPath}?folder=spam`} inherit underline="always">
        {words.theSpamFolder}
      </Anchor>,
    )}
  </Text>
);
