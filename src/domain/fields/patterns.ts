/**
 * The patterns of each text type, shared by the rules and the JSON Schema of a form so that both agree. All match in linear
 * time, with the `u` flag.
 */
const atom = "[\\w!#$%&'*+/=?^`{|}~\\-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?';

const longMonths = '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])';
const shortMonths = '(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)';
const february = '02-(?:0[1-9]|1\\d|2[0-8])';
const leapYear = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';

export const patterns = {
  /** ASCII with a dotted domain, like `isPlainAddress`. */
  email: `^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`,
  url: '^[hH][tT][tT][pP][sS]?://[^\\s/?#]\\S*$',
  /** Never large enough to become infinite. */
  number: '^[+\\-]?(?:\\d{1,200}(?:\\.\\d{0,200})?|\\.\\d{1,200})(?:[eE][+\\-]?\\d{1,2})?$',
  integer: '^[+\\-]?\\d{1,200}$',
  /** Only days that exist. */
  date: `^(?:\\d{4}-(?:${longMonths}|${shortMonths}|${february})|${leapYear}-02-29)$`,
  time: '^(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?$',
} as const;

export const maxEmailLength = 254;
export const maxUrlLength = 2_048;

/** How a boolean is written in a form; a checkbox without a value sends `on`. */
export const booleanTexts = ['on', 'off', 'true', 'false', 'yes', 'no', '1', '0'] as const;
