// Makes the changes that the fixtures want: whenever a line is added to a file of the workspace, a plugin or a prompt comes or goes.
// usage: changes.mjs WORKSPACE HOME PLUGIN
import { existsSync, readFileSync, renameSync, rmSync, watch, copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [workspace, home, plugin] = process.argv.slice(2);

// A file is whole from the moment that it is there.
const show = (target, write) => {
    write(target + ".part");
    renameSync(target + ".part", target);
};

const toggles = {
    "tool-change": () => {
        const target = join(home, "plugins", "echo.wasm");
        existsSync(target) ? rmSync(target) : show(target, (file) => copyFileSync(plugin, file));
    },
    "prompt-change": () => {
        const target = join(home, "prompts", "conformance", "changing.md");
        existsSync(target) ? rmSync(target) : show(target, (file) => writeFileSync(file, "+++\ndescription = \"Comes and goes\"\n+++\nIt comes and goes.\n"));
    },
};
const seen = { "tool-change": 0, "prompt-change": 0 };

const look = () => {
    for (const [name, toggle] of Object.entries(toggles)) {
        const file = join(workspace, name);
        const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
        for (; seen[name] < lines; seen[name] += 1) toggle();
    }
};

watch(workspace, look);
look();
