import { Anchor, createTheme, Drawer, type MantineColorsTuple, Menu, Modal, PasswordInput } from '@mantine/core'

/** Named after the red ink in which rubricators wrote the headings of a finished book. */
const rubric: MantineColorsTuple = [
  '#fdf1ee',
  '#f6ddd7',
  '#ebb8ac',
  '#e0917f',
  '#d67058',
  '#c9583d',
  '#b8492f',
  '#a33d25',
  '#8a321e',
  '#6f2717',
]

/** Warm grays, between the warm colors of paper and ink. */
const gray: MantineColorsTuple = [
  '#faf8f4',
  '#f3f0ea',
  '#e9e5dc',
  '#ded9ce',
  '#cfc9bc',
  '#9d968a',
  '#6a6459',
  '#4d483f',
  '#37332c',
  '#211e1a',
]

const dark: MantineColorsTuple = [
  '#e3ddd2',
  '#c4bdb1',
  '#a39c8f',
  '#857e73',
  '#3d3933',
  '#35322d',
  '#26231f',
  '#1a1816',
  '#141311',
  '#0e0d0c',
]

/** For errors and destructive actions. As dark as `rubric`, so that white text is readable on it. */
const red: MantineColorsTuple = [
  '#fbebe9',
  '#f6d4d0',
  '#efb0aa',
  '#e88980',
  '#de6459',
  '#cf4a40',
  '#c0392f',
  '#b3302a',
  '#94231e',
  '#741a16',
]

export const theme = createTheme({
  primaryColor: 'rubric',
  primaryShade: { light: 7, dark: 6 },
  colors: { rubric, gray, dark, red },
  black: '#211e1a',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  headings: {
    fontFamily: '"Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", ui-serif, Georgia, serif',
    fontWeight: '600',
  },
  autoContrast: true,
  respectReducedMotion: true,
  components: {
    // `rubric` is too close to the text color for color alone to distinguish a link from the text around it.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    PasswordInput: PasswordInput.extend({
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show password' } },
    }),
    // Screen readers need a name for the close icon.
    Drawer: Drawer.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    // ARIA does not allow the placeholder element inside a menu.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
  },
})
