/** Edits of navigation: data that may change, in files of which nothing else may change. */
import type { NavigationFile } from '../../site-generators/site-generator.ts'
import type { NavigationEdit, NavigationProblem } from './edit-outcome.ts'
import { findJsEditProblem, findJsonEditProblem } from './js-edit.ts'
import { findUnsafeString } from './navigation-strings.ts'
import { findTomlEditProblem } from './toml-edit.ts'
import { findYamlEditProblem } from './yaml-edit.ts'

const unsafeCharacter = /\r(?!\n)|[\u2028\u2029\ufeff]|(?![\t\n\r])\p{Cc}/u

export function findNavigationProblem(
  edit: NavigationEdit,
  { format, part }: NavigationFile,
): NavigationProblem | undefined {
  // Parsers disagree on these characters: a comment for one of them is a setting for another.
  if (unsafeCharacter.test(edit.after))
    return { text: 'it contains a control character or an unusual line break', line: undefined }
  const outcome = {
    js: findJsEditProblem,
    json: findJsonEditProblem,
    yaml: findYamlEditProblem,
    toml: findTomlEditProblem,
  }[format](edit, part)
  return 'problem' in outcome ? outcome.problem : findUnsafeString(outcome.strings)
}
