// A terminal for the test: lines in, screens out. w BASE64 writes, r WIDTH HEIGHT resizes, s asks.
const { Terminal } = require('@xterm/headless')

const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true })

function cell(c) {
  const style = [c.getFgColorMode(), c.getFgColor(), c.getBgColorMode(), c.getBgColor(), c.isBold(), c.isDim(), c.isItalic(),
    c.isUnderline(), c.isBlink(), c.isInverse(), c.isInvisible(), c.isStrikethrough()]
  return [c.getChars() || ' ', c.getWidth(), style.map(Number).join()]
}

function screen() {
  const buffer = terminal.buffer.active
  const rows = []
  for (let y = 0; y < terminal.rows; y++) {
    const line = buffer.getLine(buffer.baseY + y)
    rows.push(Array.from({ length: terminal.cols }, (_, x) => cell(line.getCell(x))))
  }
  const hidden = terminal._core.coreService.isCursorHidden
  return rows.concat([hidden ? null : [Math.min(buffer.cursorX, terminal.cols - 1), buffer.cursorY]])
}

async function main() {
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    const [verb, ...rest] = line.split(' ')
    if (verb === 'w') {
      await new Promise((done) => terminal.write(Buffer.from(rest[0], 'base64'), done))
    } else if (verb === 'r') {
      terminal.resize(Math.max(2, +rest[0]), +rest[1])
    } else {
      console.log(JSON.stringify(screen().map((row) => JSON.stringify(row))))
    }
  }
}

main()
