/**
 * Looks: neutral greys, one accent (deep teal), and four colours that mean something and are used for nothing else.
 * Text in every shade that is used for text has a contrast of 4.5 at least, in both schemes.
 */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#e9f7f6',
  '#d3ecea',
  '#a6d8d5',
  '#75c3bf',
  '#4bb0ab',
  '#2a9691',
  '#157f7b',
  '#0b6b6b',
  '#085859',
  '#054546',
];
const green: MantineColorsTuple = [
  '#ecf8f0',
  '#d5efdd',
  '#a9dfbb',
  '#79cd97',
  '#4fbb76',
  '#2fa45b',
  '#1f8a49',
  '#17743c',
  '#125f31',
  '#0d4a26',
];
const amber: MantineColorsTuple = [
  '#fdf5e4',
  '#fae9c5',
  '#f5d48c',
  '#efbd52',
  '#e3a524',
  '#c98a0c',
  '#a87006',
  '#8a5a03',
  '#6f4803',
  '#553703',
];
const red: MantineColorsTuple = [
  '#fdeeee',
  '#fadada',
  '#f4b4b4',
  '#ee8b8b',
  '#e66565',
  '#d94747',
  '#c73232',
  '#ad2424',
  '#8f1c1c',
  '#701616',
];
const violet: MantineColorsTuple = [
  '#f4f0fd',
  '#e6ddfb',
  '#ccbaf6',
  '#b095f0',
  '#9874e8',
  '#8157dd',
  '#6d41cd',
  '#5b33b3',
  '#4a2994',
  '#3a2075',
];

export const theme = createTheme({
  colors: { accent, green, amber, red, violet },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  defaultRadius: 'sm',
  radius: { xs: '3px', sm: '6px', md: '8px', lg: '12px', xl: '20px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  fontSizes: { xs: '12px', sm: '14px', md: '15px', lg: '17px', xl: '20px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '1.3' },
      h2: { fontSize: '17px', lineHeight: '1.35' },
      h3: { fontSize: '15px', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Tooltip: {
      defaultProps: { openDelay: 250, withArrow: true, events: { hover: true, focus: true, touch: true } },
    },
    Modal: {
      defaultProps: { centered: true, radius: 'md', closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 600 } },
    },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    NavLink: { defaultProps: { className: 'nav-link', variant: 'subtle' } },
    Table: {
      defaultProps: { borderColor: 'var(--inlet-line)', verticalSpacing: 8, horizontalSpacing: 'sm' },
    },
  },
});

/** Mantine's own are a shade too pale: its dimmed grey on white has a contrast of 3.3. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-text': '#1b1f22',
    '--mantine-color-dimmed': '#5b636b',
    '--mantine-color-placeholder': '#6b737b',
    '--mantine-color-default-border': '#d9dde1',
    '--mantine-color-error': 'var(--mantine-color-red-7)',
    '--inlet-surface': '#fafbfb',
    '--inlet-line': '#e6e9eb',
    '--inlet-field-line': '#868e96',
    '--inlet-here': '#e3f1f0',
    '--inlet-accent-text': 'var(--mantine-color-accent-7)',
    '--mantine-color-anchor': 'var(--mantine-color-accent-7)',
  },
  dark: {
    '--mantine-color-body': '#17191b',
    '--mantine-color-text': '#d6dadd',
    '--mantine-color-dimmed': '#9aa2a9',
    '--mantine-color-placeholder': '#868e95',
    '--mantine-color-default': '#1e2123',
    '--mantine-color-default-hover': '#282c2f',
    '--mantine-color-default-border': '#383d41',
    '--mantine-color-error': 'var(--mantine-color-red-3)',
    '--inlet-surface': '#1c1f21',
    '--inlet-line': '#2b2f32',
    '--inlet-field-line': '#7a838a',
    '--inlet-here': '#25302f',
    '--inlet-accent-text': 'var(--mantine-color-accent-3)',
    '--mantine-color-anchor': 'var(--mantine-color-accent-3)',
  },
});
