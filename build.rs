//! Compiles the schema without a system `protoc`, and lists the built-in variants.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use protox::{prost::Message as _, prost_reflect::prost_types::FileDescriptorSet};

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    compile_schema(&out)?;
    list_seeds(&out)
}

fn compile_schema(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    // What clients are shown, and what is stored.
    let (service, log) = (
        descriptors("proto/mancala/v1")?,
        descriptors("proto/mancala/log/v1")?,
    );
    fs::write(out.join("schema.binpb"), service.encode_to_vec())?;
    for package in [service, log] {
        tonic_prost_build::configure()
            .emit_rerun_if_changed(false)
            // Written by hand, to be encoded once for all who are sent it.
            .extern_path(
                ".mancala.v1.WatchGameResponse",
                "crate::grpc::frame::WatchGameResponse",
            )
            .codec_path("crate::grpc::codec::Codec")
            .compile_fds(package)?;
    }
    Ok(())
}

/// The descriptors of all files of a folder, and of what they import.
fn descriptors(folder: &str) -> Result<FileDescriptorSet, Box<dyn Error>> {
    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_imports(true).include_source_info(true);
    let mut paths = fs::read_dir(folder)?
        .map(|file| file.map(|file| file.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    compiler.open_files(paths)?;
    Ok(FileDescriptorSet::decode(
        compiler.encode_file_descriptor_set().as_slice(),
    )?)
}

/// Writes an array of (file name, text) of every file in `seeds/`, so that a variant is one file.
fn list_seeds(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=seeds");
    let mut paths: Vec<_> = fs::read_dir("seeds")?
        .map(|file| file.map(|file| file.path()))
        .collect::<Result<_, _>>()?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths {
        let name = path.file_name().ok_or("a file has a name")?;
        list += &format!(
            "({name:?}, include_str!({:?})),\n",
            fs::canonicalize(&path)?
        );
    }
    fs::write(out.join("seeds.rs"), list + "]")?;
    Ok(())
}
