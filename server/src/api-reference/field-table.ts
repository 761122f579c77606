/** Tables of parameters and fields. On small screens CSS turns rows into blocks, so the ARIA roles are explicit. */
import { type Html, html, joinHtml } from './html.ts'
import { type Schema, toSchemaObject, unionMembers } from './openapi-document.ts'
import { renderCodeSpans } from './render-markdown.ts'
import { constraintLabels, typeLabel } from './schema-labels.ts'

export interface Field {
  readonly name: string
  /** Location of a parameter, if the table mixes them: path, query, header. */
  readonly location?: string
  readonly schema: Schema
  readonly required: boolean
  readonly description: string | undefined
}

/** The fields of a schema, including those of inline objects, named by their path: `views[].path`. */
export function listFields(schema: Schema, prefix = ''): Field[] {
  return unionMembers(schema).flatMap((member) => {
    const { $ref, properties = {}, required = [], items, additionalProperties } = toSchemaObject(member)
    if ($ref !== undefined) return [] // has a section of its own
    const own = Object.entries(properties).flatMap(([name, property]): Field[] => {
      const path = prefix === '' ? name : `${prefix}.${name}`
      const field = {
        name: path,
        schema: property,
        required: required.includes(name),
        description: descriptionOf(property),
      }
      return [field, ...listFields(property, path)]
    })
    const itemFields = items === undefined ? [] : listFields(items, `${prefix}[]`)
    const valueFields = typeof additionalProperties === 'object' ? listFields(additionalProperties, `${prefix}.*`) : []
    return [...own, ...itemFields, ...valueFields]
  })
}

/** The description of a nullable field can be inside its union. */
const descriptionOf = (schema: Schema) =>
  [schema, ...unionMembers(schema)].map((each) => toSchemaObject(each).description).find((description) => description)

export function fieldTable(caption: string, fields: readonly Field[]): Html {
  const columns = ['Name', 'Type', 'Required', 'Description'].map(
    (column) => html`<th scope="col" role="columnheader">${column}</th>`,
  )
  return html`<table class="fields" role="table">
<caption class="unseen">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns}</tr></thead>
<tbody role="rowgroup">${fields.map(fieldRow)}</tbody>
</table>
`
}

function fieldRow({ name, location, schema, required, description }: Field): Html {
  const limits = constraintLabels(schema)
  return html`
<tr role="row"><th scope="row" role="rowheader"><code>${name}</code>${location && html` <span class="location">${location}</span>`}</th>
<td role="cell" class="type">${typeLabel(schema)}${limits.length > 0 ? html` <span class="limits">${joinHtml(limits, ', ')}</span>` : ''}</td>
<td role="cell" class="${required ? 'required' : 'optional'}">${required ? 'required' : 'optional'}</td>
<td role="cell" class="description">${renderCodeSpans(description)}</td></tr>`
}
