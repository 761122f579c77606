/** Parameters and the fields of objects as tables. On a phone a row becomes a block, so the roles are said aloud. */
import { type Html, html, joined } from './html.ts'
import { asObject, membersOf, type Schema } from './openapi-document.ts'
import { inlineProse } from './prose.ts'
import { limitsInWords, typeInWords } from './schema-words.ts'

export interface Field {
  readonly name: string
  /** Where the field stands, if the table mixes places: path, query, header. */
  readonly place?: string
  readonly schema: Schema
  readonly required: boolean
  readonly description: string | undefined
}

/** The fields of a schema, those of objects written inside it too, named by where they stand: `views[].path`. */
export function fieldsOf(schema: Schema, prefix = ''): Field[] {
  return membersOf(schema).flatMap((member) => {
    const { $ref, properties = {}, required = [], items, additionalProperties } = asObject(member)
    if ($ref !== undefined) return [] // has a section of its own
    const own = Object.entries(properties).flatMap(([name, property]): Field[] => {
      const place = prefix === '' ? name : `${prefix}.${name}`
      const field = {
        name: place,
        schema: property,
        required: required.includes(name),
        description: descriptionOf(property),
      }
      return [field, ...fieldsOf(property, place)]
    })
    const ofItems = items === undefined ? [] : fieldsOf(items, `${prefix}[]`)
    const ofOthers = typeof additionalProperties === 'object' ? fieldsOf(additionalProperties, `${prefix}.*`) : []
    return [...own, ...ofItems, ...ofOthers]
  })
}

/** One that may be null is often described inside its union. */
const descriptionOf = (schema: Schema) =>
  [schema, ...membersOf(schema)].map((each) => asObject(each).description).find((description) => description)

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

function fieldRow({ name, place, schema, required, description }: Field): Html {
  const limits = limitsInWords(schema)
  return html`
<tr role="row"><th scope="row" role="rowheader"><code>${name}</code>${place && html` <span class="place">${place}</span>`}</th>
<td role="cell" class="type">${typeInWords(schema)}${limits.length > 0 ? html` <span class="limits">${joined(limits, ', ')}</span>` : ''}</td>
<td role="cell" class="${required ? 'required' : 'optional'}">${required ? 'required' : 'optional'}</td>
<td role="cell" class="description">${inlineProse(description)}</td></tr>`
}
