/** How an endpoint verifies a webhook, per language. Also the source of the code in docs/guides/webhooks.md. */
import go from './verify.go?raw';
import node from './verify.mjs?raw';
import php from './verify.php?raw';
import python from './verify.py?raw';
import ruby from './verify.rb?raw';

export const samples = [
  { title: 'Node', language: 'javascript', code: node },
  { title: 'Python', language: 'python', code: python },
  { title: 'PHP', language: 'php', code: php },
  { title: 'Go', language: 'go', code: go },
  { title: 'Ruby', language: 'ruby', code: ruby },
] as const;
