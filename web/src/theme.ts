/** The component theme, built from the tokens in ui/tokens.css. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import * as common from './words/common.js';

const shades = (name: string): MantineColorsTuple => [
  `var(--${name}-0)`,
  `var(--${name}-1)`,
  `var(--${name}-2)`,
  `var(--${name}-3)`,
  `var(--${name}-4)`,
  `var(--${name}-5)`,
  `var(--${name}-6)`,
  `var(--${name}-7)`,
  `var(--${name}-8)`,
  `var(--${name}-9)`,
];

/** Same duration as --motion, for animations run by scripts. */
export const motionMs = 120;
const quick = { transitionProps: { duration: motionMs } };

export const theme = createTheme({
  colors: {
    accent: shades('teal'),
    green: shades('green'),
    amber: shades('amber'),
    red: shades('red'),
    violet: shades('violet'),
    gray: shades('gray'),
    dark: shades('dark'),
  },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  fontFamily: 'var(--text-font)',
  fontFamilyMonospace: 'var(--text-mono)',
  defaultRadius: 'sm',
  radius: {
    xs: 'var(--radius-small)',
    sm: 'var(--radius)',
    md: 'var(--radius)',
    lg: 'var(--radius-large)',
    xl: 'var(--radius-large)',
  },
  spacing: {
    xs: 'var(--space-2)',
    sm: 'var(--space-3)',
    md: 'var(--space-4)',
    lg: 'var(--space-6)',
    xl: 'var(--space-8)',
  },
  fontSizes: {
    xs: 'var(--text-12)',
    sm: 'var(--text-13)',
    md: 'var(--text-14)',
    lg: 'var(--text-16)',
    xl: 'var(--text-20)',
  },
  lineHeights: { xs: '1.4', sm: '1.5', md: '1.5', lg: '1.5', xl: '1.4' },
  shadows: { xs: 'none', sm: 'var(--shadow)', md: 'var(--shadow)', lg: 'var(--shadow)', xl: 'var(--shadow)' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: 'var(--text-20)', lineHeight: '1.4' },
      h2: { fontSize: 'var(--text-16)', lineHeight: '1.5' },
      h3: { fontSize: 'var(--text-14)', lineHeight: '1.5' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Checkbox: { defaultProps: { radius: 'xs' } },
    Tooltip: {
      defaultProps: {
        ...quick,
        openDelay: 250,
        withArrow: true,
        events: { hover: true, focus: true, touch: true },
      },
    },
    Menu: { defaultProps: quick },
    Popover: { defaultProps: quick },
    Combobox: { defaultProps: quick },
    Modal: {
      defaultProps: {
        ...quick,
        centered: true,
        radius: 'lg',
        closeButtonProps: { 'aria-label': common.close },
      },
      styles: { title: { fontWeight: 600 } },
    },
    SegmentedControl: { defaultProps: { transitionDuration: motionMs, withItemsBorders: false } },
    Badge: { defaultProps: { variant: 'light', radius: 'xs', tt: 'none', fw: 500 } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': common.close } } },
    NavLink: { defaultProps: { className: 'nav-link', variant: 'subtle' } },
    Table: {
      defaultProps: { borderColor: 'var(--inlet-line)', verticalSpacing: 'xs', horizontalSpacing: 'sm' },
    },
  },
});

/** The colours of a state as text on a soft background, readable in both schemes. */
const meaning = (color: string, state: string) => ({
  [`--mantine-color-${color}-light`]: `var(--state-${state}-soft)`,
  [`--mantine-color-${color}-light-color`]: `var(--state-${state})`,
  [`--mantine-color-${color}-outline`]: `var(--state-${state})`,
});

/** These variables adapt to the scheme themselves, so they are the same in both. */
const looks = {
  '--mantine-color-body': 'var(--inlet-page)',
  '--mantine-color-text': 'var(--inlet-text)',
  '--mantine-color-dimmed': 'var(--inlet-quiet-text)',
  '--mantine-color-placeholder': 'var(--inlet-placeholder)',
  '--mantine-color-default': 'var(--inlet-raised)',
  '--mantine-color-default-hover': 'var(--inlet-hover)',
  '--mantine-color-default-color': 'var(--inlet-text)',
  '--mantine-color-default-border': 'var(--inlet-control-line)',
  '--mantine-color-error': 'var(--state-failed)',
  '--mantine-color-anchor': 'var(--inlet-accent-text)',
  '--mantine-color-accent-light-color': 'var(--inlet-accent-text)',
  '--mantine-color-gray-light': 'var(--inlet-here)',
  '--mantine-color-gray-light-color': 'var(--inlet-text)',
  ...meaning('green', 'delivered'),
  ...meaning('amber', 'waiting'),
  ...meaning('red', 'failed'),
  ...meaning('violet', 'quarantined'),
};

export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light: looks, dark: looks });
