/** What is in quarantine, and where the other spam is. */
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import * as words from '../../words/quarantine.js';

/** `spamPath`: the list whose folder of spam is meant. */
export const AboutQuarantine = ({ spamPath }: { readonly spamPath: string }) => (
  <Text size="sm" c="dimmed">
    {words.pageDescription(
      <Anchor component={Link} href={`${spamPath}?folder=spam`} inherit underline="always">
        {words.theSpamFolder}
      </Anchor>,
    )}
  </Text>
);
