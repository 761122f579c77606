// Counts views of the page that includes it, without cookies and without storing anything. Served without comments and
// indentation.
;(() => {
  const script = document.currentScript
  // Compares with 1, because an element with that ID is also a property of the window.
  if (!script || self._colophon === 1) return
  self._colophon = 1
  const url = new URL('v1/collect', script.src).href
  const path = () => location.pathname.replace(/\/+$/, '')
  // An error page is not counted until the visitor navigates away from it.
  let last = performance.getEntriesByType('navigation')[0]?.responseStatus > 399 ? path() : 0
  const count = () => {
    const page = path()
    if (document.prerendering || page === last) return
    last = page
    if (document.querySelector('meta[name=colophon][content=error]')) return
    const id = crypto.getRandomValues(new Uint32Array(4)).join('')
    const body = JSON.stringify({ key: script.dataset.site, id, path: location.pathname })
    if (!navigator.sendBeacon?.(url, body))
      fetch(url, { method: 'POST', body, mode: 'no-cors', keepalive: 1 }).catch(() => 0)
  }
  for (const name of ['pushState', 'replaceState']) {
    const move = history[name]
    history[name] = (...args) => {
      move.apply(history, args)
      // The next page is rendered, or marked as an error page, after this call.
      setTimeout(count)
    }
  }
  addEventListener('popstate', count)
  document.addEventListener('prerenderingchange', count)
  // The page was restored from the back/forward cache. Without the cache it would have been loaded, and counted, again.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) last = 0
    count()
  })
  count()
})()
