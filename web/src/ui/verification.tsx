/** A button below a signing secret that shows how to verify signatures. The code loads on click. */
import { Box, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Suspense, useId } from 'react';
import * as words from '../words/webhook.js';
import { lazyPart } from './lazy-part.js';
import { LoadingFields } from './loading.js';

const VerificationCode = lazyPart(() => import('../verification/verification-code.js'), 'VerificationCode');

export function Verification() {
  const [isOpen, code] = useDisclosure();
  const id = useId();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Box>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Chevron size={16} stroke={1.6} />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={code.toggle}
      >
        {words.verificationCode}
      </Button>
      <Box id={id} mt="xs">
        {isOpen && (
          <Suspense fallback={<LoadingFields fields={2} />}>
            <VerificationCode />
          </Suspense>
        )}
      </Box>
    </Box>
  );
}
