/** Extracts the shell commands of a Markdown document. Pure. */

export interface Command {
  readonly text: string
  /** All programs that it starts. */
  readonly programs: readonly string[]
  /** What the document prints below it: the rest of a console block, or the JSON block that follows. */
  readonly answer: string | undefined
}

/** Commands of one shell, because one may set a variable for the next. */
export type Block = readonly Command[]

interface Fence {
  readonly language: string
  readonly text: string
}

export function blocksOf(markdown: string): Block[] {
  const fences = Array.from(
    markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms),
    ([, language = '', text = '']): Fence => ({ language, text }),
  )
  return fences.flatMap((fence, index) => {
    if (fence.language === 'console') return [consoleBlock(fence)]
    return ['sh', 'bash', 'shell'].includes(fence.language)
      ? [shellBlock(fence, fences[index + 1])]
      : []
  })
}

function shellBlock({ text }: Fence, next: Fence | undefined): Block {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line))
  const answer = next?.language === 'json' ? next.text : undefined
  return lines.map((line, index) =>
    toCommand(line, index === lines.length - 1 ? answer : undefined),
  )
}

/** A command follows `$ `; other lines are output. */
function consoleBlock({ text }: Fence): Block {
  const [, ...parts] = text.split(/^\$ /m)
  return parts.map((part) => {
    const end = part.indexOf('\n')
    return toCommand(part.slice(0, end), part.slice(end + 1))
  })
}

/** @throws Error for a line that is only a part of a command */
function toCommand(text: string, answer: string | undefined): Command {
  if (/\\$|<<|`/.test(text)) throw new Error(`not a command on one line: ${text}`)
  return { text, programs: programsOf(text), answer }
}

/** The first word of each part of a command line. */
function programsOf(text: string): string[] {
  if (/"[^"]*\$\(/.test(text)) throw new Error(`a command within double quotes: ${text}`)
  const bare = text.replaceAll(/'[^']*'|"[^"]*"/g, 'quoted')
  const parts = bare.split(/\$\(|&&|\|\||[|;&]/)
  const words = parts.map((part) => /^\s*(?:\w+=\S*\s*)*([^\s)]*)/.exec(part)?.[1] ?? '')
  return words.filter((word) => word !== '')
}
