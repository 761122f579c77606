/** Draws values over time, in text and as a picture. */
import type { ResourceSeries } from './resources.ts'

const blocks = '▁▂▃▄▅▆▇█'
const columns = 60

/** From zero, so that a line that looks flat is flat. One column is the highest of several values if there are more than columns. */
export function formatSparkline(values: readonly number[]): string {
  const max = Math.max(...values, 1)
  const width = Math.min(columns, values.length)
  return Array.from({ length: width }, (_, column) => {
    const part = values.slice(
      Math.floor((column * values.length) / width),
      Math.floor(((column + 1) * values.length) / width),
    )
    return blocks[Math.min(blocks.length - 1, Math.floor((Math.max(...part) / max) * blocks.length))]
  }).join('')
}

const chart = { width: 380, height: 90, gap: 34, left: 12, top: 44 }

/** An SVG with one chart for each series, in two columns, all from zero. */
export function drawCharts(series: readonly ResourceSeries[], secondsPerSample: number): string {
  const rows = Math.ceil(series.length / 2)
  const width = 2 * chart.width + 3 * chart.left
  const height = chart.top + rows * (chart.height + chart.gap)
  const minutes = Math.round(((series[0]?.values.length ?? 0) * secondsPerSample) / 60)
  const title = `${minutes} minutes of load, with a fault every ${secondsPerSample} seconds`
  const drawn = series.map((one, index) => {
    const x = chart.left + (index % 2) * (chart.width + chart.left)
    const y = chart.top + Math.floor(index / 2) * (chart.height + chart.gap)
    return drawOne(one, x, y)
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12">
<title>${title}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${chart.left}" y="22" font-size="15" font-weight="600" fill="#1c1c1c">${title}</text>
${drawn.join('\n')}
</svg>
`
}

function drawOne({ name, values, format }: ResourceSeries, x: number, y: number): string {
  const max = Math.max(...values, 1)
  const points = values.map((value, index) => {
    const pointX = x + (index / Math.max(1, values.length - 1)) * chart.width
    const pointY = y + chart.height - (value / max) * (chart.height - 16)
    return `${pointX.toFixed(1)},${pointY.toFixed(1)}`
  })
  return `<text x="${x}" y="${y + 8}" fill="#1c1c1c">${name}</text>
<text x="${x + chart.width}" y="${y + 8}" fill="#555555" text-anchor="end">at most ${format(max)}</text>
<line x1="${x}" y1="${y + chart.height}" x2="${x + chart.width}" y2="${y + chart.height}" stroke="#bbbbbb"/>
<polyline points="${points.join(' ')}" fill="none" stroke="#1f6f50" stroke-width="1.5"/>`
}
