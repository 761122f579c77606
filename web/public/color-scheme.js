// Before the first paint, or a dark page would flash white: what was chosen here last, else what the system says. A file
// of its own, because the content security policy lets no script stand in the page.
const chosen = localStorage.getItem('mantine-color-scheme-value')
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
