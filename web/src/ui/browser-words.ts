/** A user agent in words: "Firefox 128 on Windows". Only what is certain, since the header can contain anything. */
import * as words from '../words/controls.js';

const programs: readonly (readonly [shape: RegExp, name: string])[] = [
  [/\bEdgi?A?(?:OS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\bVivaldi\/(\d+)/, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)(?:\.\d+)*.*\bSafari\//, 'Safari'],
  [/^curl\/(\d+(?:\.\d+)?)/, 'curl'],
  [/^Wget\/(\d+(?:\.\d+)?)/, 'Wget'],
  [/^python-requests\/(\d+(?:\.\d+)?)/, 'Python requests'],
  [/^PostmanRuntime\/(\d+)/, 'Postman'],
  [/^axios\/(\d+(?:\.\d+)?)/, 'axios'],
  [/^Go-http-client\/(\d+(?:\.\d+)?)/, 'Go'],
];

const systems: readonly (readonly [shape: RegExp, name: string])[] = [
  [/\bWindows NT\b/, 'Windows'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Returns null when it is not recognised: the header itself is shown then. */
export function browserOf(userAgent: string): string | null {
  const head = userAgent.slice(0, 500);
  for (const [shape, name] of programs) {
    const version = shape.exec(head)?.[1];
    if (version === undefined) continue;
    const system = systems.find(([kind]) => kind.test(head))?.[1];
    return system === undefined ? words.browser(name, version) : words.browserOn(name, version, system);
  }
  if (head === 'node' || /^undici/.test(head)) return 'Node.js';
  return null;
}
