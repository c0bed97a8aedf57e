/** An HTML e-mail in a frame without origin that runs nothing of the e-mail (src/http/mail-frame.ts). */
import { useEffect, useRef } from 'react';
import { dashboardPath } from '../page-facts.js';
import * as words from '../words/mail-editor.js';

interface MailFrameProps {
  readonly html: string;
  readonly look: 'desktop' | 'phone' | 'dark';
}

export function MailFrame({ html, look }: MailFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const isDark = look === 'dark';
  // The sandboxed frame has an opaque origin, so no target origin can be given.
  const show = () => frame.current?.contentWindow?.postMessage({ html, isDark }, '*');
  useEffect(() => {
    frame.current?.contentWindow?.postMessage({ html, isDark }, '*');
  }, [html, isDark]);
  return (
    <iframe
      ref={frame}
      className="mail-frame"
      data-look={look}
      src={`${dashboardPath}/mail-frame`}
      title={words.preview}
      sandbox="allow-scripts"
      onLoad={show}
    />
  );
}
