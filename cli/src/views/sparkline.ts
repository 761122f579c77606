/** A row of numbers as a row of bars. */
const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** At most `maxLength` characters: neighbors are added up if there are more numbers. */
export function formatSparkline(values: readonly number[], maxLength: number): string {
  const perBar = Math.max(1, Math.ceil(values.length / maxLength))
  const sums = Array.from({ length: Math.ceil(values.length / perBar) }, (_, index) =>
    values.slice(index * perBar, (index + 1) * perBar).reduce((sum, value) => sum + value, 0),
  )
  const highest = Math.max(1, ...sums)
  return sums.map((sum) => (sum === 0 ? ' ' : bars[Math.ceil((sum / highest) * bars.length) - 1])).join('')
}
