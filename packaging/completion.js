/** Completion for bash, made from the help of the program. */
import { execFileSync } from 'node:child_process'

/**
 * @param {string[]} program the program and its first arguments
 * @returns {string} a script for /usr/share/bash-completion/completions
 */
export function bashCompletion([node, ...args]) {
  const help = (...command) =>
    execFileSync(node, [...args, ...command, '--help'], { encoding: 'utf8' })
  const [, listed = ''] = help().split('Commands:')
  const commands = Array.from(listed.matchAll(/^ {2}([a-z][a-z-]*) /gm), ([, name]) => name)
  const flags = new Map([['', flagsOf(help())]])
  for (const command of commands) flags.set(command, flagsOf(help(command)))
  const valued = (pattern) => {
    const found = [...flags.values()].flat().filter(({ value = '' }) => pattern.test(value))
    return [...new Set(found.map(({ name }) => name))].sort().join(' | ')
  }
  const cases = [...flags].map(([command, own]) => {
    const words = [...(command === '' ? commands : []), ...own.map(({ name }) => name)]
    return `    ${command === '' ? "''" : command}) words='${words.join(' ')}' ;;`
  })
  return `# Completion of rinex-catalogue for bash.
_rinex_catalogue() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in ${commands.join(' | ')}) command=$word; break ;; esac
  done
  COMPREPLY=()
  case $prev in
    ${valued(/^(dir|file)\b/)}) return ;;
    ${valued(/^(?!(dir|file)\b)./)}) compopt +o default; return ;;
  esac
  case $command in
${cases.join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _rinex_catalogue rinex-catalogue
`
}

/** The flags of a help text; `value` is the placeholder, e.g. `file`. */
function flagsOf(help) {
  const flags = help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)(?: <([a-z,.]+)>)?/gm)
  return Array.from(flags, ([, name, value]) => ({ name, value }))
}
