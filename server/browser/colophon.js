// Counts a view of the page that shows it: no cookie, nothing stored. Served without comments and indentation.
;(() => {
  const script = document.currentScript
  if (!script || self.colophon) return
  self.colophon = 1
  const url = new URL('v1/collect', script.src).href
  const pageNow = () => location.pathname.replace(/\/+$/, '')
  // Of an error page nothing is counted until the reader goes on from it.
  let last = performance.getEntriesByType('navigation')[0]?.responseStatus > 399 ? pageNow() : 0
  const count = () => {
    const page = pageNow()
    if (document.prerendering || page === last) return
    last = page
    if (document.querySelector('meta[name=colophon][content=error]')) return
    const id = crypto.getRandomValues(new Uint32Array(4)).join('')
    const body = JSON.stringify({ key: script.dataset.site, id, path: location.pathname })
    if (!navigator.sendBeacon?.(url, body))
      fetch(url, { method: 'POST', body, mode: 'no-cors', keepalive: true }).catch(() => 0)
  }
  for (const name of ['pushState', 'replaceState']) {
    const change = history[name]
    history[name] = (...to) => {
      change.apply(history, to)
      count()
    }
  }
  addEventListener('popstate', count)
  document.addEventListener('prerenderingchange', count)
  // Back at a page that the browser had kept: had it not, the page would have been loaded again.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) last = 0
    count()
  })
  count()
})()
