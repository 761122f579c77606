import type { ReleasedImages } from './released-images.ts'

/**
 * The default values of the chart with the released images, by digest. Line by line, so that comments stay. Unchanged if the
 * digests are not known.
 */
export function releasedChartValues(values: string, { prefix, digests }: ReleasedImages): string {
  if (!digests) return values
  return (['server', 'runner'] as const).reduce((text, target) => {
    const fields = new RegExp(`^(  ${target}:\\n    repository: )"".*\\n(    tag: "".*\\n    digest: )""`, 'm')
    if (!fields.test(text)) throw new Error(`values.yaml has no empty repository, tag and digest for ${target}.`)
    return text.replace(fields, `$1${prefix}/${target}\n$2${digests[target]}`)
  }, values)
}
