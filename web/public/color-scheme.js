// Applies the last chosen color scheme, or that of the system, before the first paint. Otherwise a dark page would flash
// white. A separate file, because the content security policy forbids inline scripts.
const chosen = localStorage.getItem('mantine-color-scheme-value')
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
